import { LIMITS, type Message, type Services, type User } from "@fanfare/contract";

/** The users that a client needs to show messages: authors first, then users who are mentioned or were in a call. */
export function usersInMessages(
  messages: readonly Pick<Message, "as" | "authorId" | "call" | "mentions">[],
): string[] {
  const authors = messages.flatMap(({ as, authorId }) => (as === undefined ? authorId : []));
  const others = messages.flatMap(({ mentions, call }) => [
    ...(mentions?.userIds ?? []),
    ...(call?.participantUserIds ?? []),
  ]);
  return [...authors, ...others];
}

/**
 * The profiles for a response, if they were requested with `withUsers`. As many as one lookup returns, and none if it fails: clients
 * look up what is missing.
 * @param services of the request, so that the caller's permissions apply
 */
export async function responseUsers(
  services: Services,
  withUsers: boolean | undefined,
  userIds: readonly string[],
): Promise<{ users?: User[] }> {
  if (withUsers !== true) return {};
  const distinct = [...new Set(userIds)].slice(0, LIMITS.usersPerLookup);
  if (distinct.length === 0) return { users: [] };
  return services.user.getMany({ userIds: distinct }).catch(() => ({}));
}
