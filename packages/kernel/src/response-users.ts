import { LIMITS, type Message, type Services, type User } from "@fanfare/contract";

/** The users that a client needs to show messages: authors first, then mentioned users. */
export function usersInMessages(
  messages: readonly Pick<Message, "as" | "authorId" | "mentions">[],
): string[] {
  const authors = messages.flatMap(({ as, authorId }) => (as === undefined ? authorId : []));
  return [...authors, ...messages.flatMap(({ mentions }) => mentions?.userIds ?? [])];
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
