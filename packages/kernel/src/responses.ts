import { LIMITS, type Message, type Services, type User } from "@fanfare/contract";

/** Limits the size of a result: a page ends when the budget is used up. */
export class ResponseBudget {
  #left: number;
  #isEmpty = true;

  /** @param bytes default: the contract's limit for one result */
  constructor(bytes: number = LIMITS.answerMaxBytes) {
    this.#left = bytes;
  }

  /**
   * Subtracts the size of an item as JSON in UTF-8. The first item always fits, because an empty page could not be continued.
   * @returns whether the item fits; after the first that doesn't, none does, so that pages have no gaps
   */
  take(item: unknown): boolean {
    if (this.#left <= 0 && !this.#isEmpty) return false;
    const bytes = jsonBytes(item);
    if (bytes > this.#left && !this.#isEmpty) {
      this.#left = 0;
      return false;
    }
    this.#isEmpty = false;
    this.#left -= bytes;
    return true;
  }

  /** Whether no further item fits. */
  get isExhausted(): boolean {
    return this.#left <= 0 && !this.#isEmpty;
  }

  /** The items that fit, up to the first that doesn't. */
  takeWhileFits<T>(items: readonly T[]): T[] {
    const end = items.findIndex((item) => !this.take(item));
    return end === -1 ? [...items] : items.slice(0, end);
  }
}

/** The size of a value as JSON in UTF-8, in bytes. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}

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
