import { type NodeContext, nullIfDuplicate, withoutDeadline } from "@fanfare/kernel";
import { publishAccount } from "./publish.ts";
import type { UserRepository } from "./user.repository.ts";

/**
 * Runs `store`, which gives a verified address to an account. Another account that has not verified the address loses it, unless
 * `store` fails.
 * @param userId the account, if it exists already
 */
export async function takeEmail<T>(
  { node, users }: { node: Pick<NodeContext, "publish">; users: UserRepository },
  { email, userId }: { email: string | null | undefined; userId?: string },
  store: () => Promise<T>,
): Promise<T> {
  const displaced = email == null ? null : await users.releaseUnverifiedEmail(email, userId);
  if (email == null || displaced === null) return store();
  try {
    const stored = await store();
    publishAccount(node, displaced);
    return stored;
  } catch (error) {
    // The address may have been stored in spite of the error, or be taken by now.
    await withoutDeadline(() => nullIfDuplicate(users.returnUnverifiedEmail(displaced._id, email)));
    throw error;
  }
}
