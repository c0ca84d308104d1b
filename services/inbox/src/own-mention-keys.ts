import { mentionKey } from "@fanfare/contract";
import type { InboxDependencies } from "./inbox.dependencies.ts";

/** Keys of messages that mention a user, based on the current groups and roles of the user. */
export interface OwnMentionKeys {
  all: readonly string[];
  /** The keys that can occur in channels of this group; null: in direct channels. */
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

/** @param suppressed groups whose @everyone mentions are ignored */
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
