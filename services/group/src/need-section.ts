import { serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "./group.dependencies.ts";
import { sees, type LoadedMember } from "./subjects.ts";

/**
 * @param sectionId null: none
 * @throws {ServiceError} CHANNEL_NOT_FOUND when it is no section of the actor's group, or one that he does not see
 */
export async function needSection(
  { channels }: Pick<GroupDependencies, "channels">,
  { group, subject }: LoadedMember,
  sectionId: string | null,
): Promise<string | null> {
  if (sectionId === null) return null;
  const section = await channels.find(sectionId);
  const isOfGroup = section?.kind === "section" && section.groupId === group._id;
  if (!isOfGroup || !sees(subject, section)) throw serviceError("CHANNEL_NOT_FOUND");
  return section._id;
}
