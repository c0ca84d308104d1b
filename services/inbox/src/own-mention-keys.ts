import { mentionKey } from "@fanfare/contract";
import type { InboxDependencies } from "./inbox.dependencies.ts";

/** What messages are found by that mention a user, with the groups and roles that the user has now. */
export interface OwnMentionKeys {
  all: readonly string[];
  /** Those that can be in a channel of this group; null: in a direct channel. */
  in(groupId: string | null): string[];
}

interface Place {
  groupId: string;
  roleIds: readonly string[];
}

export async function ownMentionKeys(
  { node: { services }, settings }: InboxDependencies,
  userId: string,
): Promise<OwnMentionKeys> {
  const [{ places }, suppressed] = await Promise.all([
    services.group.listPlaces({ userId }),
    settings.listSuppressed(userId),
  ]);
  return mentionKeys(userId, places, suppressed);
}

/** @param suppressed groups whose @everyone mentions do not count */
export function mentionKeys(
  userId: string,
  places: readonly Place[],
  suppressed: ReadonlySet<string>,
): OwnMentionKeys {
  const own = mentionKey.user(userId);
  const ofGroups = new Map(
    places.map(({ groupId, roleIds }) => [
      groupId,
      [...(suppressed.has(groupId) ? [] : [mentionKey.all(groupId)]), ...roleIds.map(mentionKey.role)],
    ]),
  );
  return {
    all: [own, ...[...ofGroups.values()].flat()],
    in: (groupId) => [own, ...(groupId === null ? [] : (ofGroups.get(groupId) ?? []))],
  };
}
