import { LIMITS, type Message, type Services } from "@fanfare/contract";
import { chunks } from "@fanfare/kernel";

/** The names of authors and mentioned users, by user id. In a group, the nicknames there. */
export async function namesIn(
  { user, group }: Services,
  groupId: string | null,
  messages: Iterable<Message>,
): Promise<Map<string, string>> {
  const userIds = new Set(
    [...messages].flatMap(({ authorId, mentions }) => [authorId, ...(mentions?.userIds ?? [])]),
  );
  const names = new Map<string, string>();
  for (const some of chunks([...userIds], LIMITS.usersPerLookup)) {
    const [{ users }, { nicknames }] = await Promise.all([
      user.listNames({ userIds: some }),
      groupId === null ? { nicknames: [] } : group.findNicknames({ groupId, userIds: some }),
    ]);
    for (const { userId, name } of users) names.set(userId, name);
    for (const { userId, nickname } of nicknames) if (nickname !== undefined) names.set(userId, nickname);
  }
  return names;
}
