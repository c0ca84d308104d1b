import { duplicateKeyIndex, serviceError } from "@fanfare/kernel";
import { EMAIL_INDEX, USERNAME_INDEX } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

/** What a new account begins with. */
interface Names {
  /** The address that the account has from the start, unverified. */
  email: string | undefined;
  /** An address that another account has not verified either: it goes to the first that opens its link. */
  contestedEmail: string | undefined;
}

/**
 * Spares a password hash for names that are taken already. The unique indexes have the last word.
 * @param canVerify whether mails are sent: otherwise the first claim to an address stands
 * @throws {ServiceError} USERNAME_TAKEN or EMAIL_TAKEN
 */
export async function refuseTaken(
  users: UserRepository,
  { username, email }: { username: string; email?: string | undefined },
  canVerify: boolean,
): Promise<Names> {
  const [byName, byEmail] = await Promise.all([
    users.findByUsername(username),
    email === undefined ? null : users.findByEmail(email),
  ]);
  if (byName !== null) throw serviceError("USERNAME_TAKEN");
  if (byEmail === null) return { email, contestedEmail: undefined };
  if (!canVerify || byEmail.emailVerifiedAt !== undefined) throw serviceError("EMAIL_TAKEN");
  return { email: undefined, contestedEmail: email };
}

/** Turns the database's refusal of a taken name into the contract's error, and throws any other error as it is. */
export function throwTaken(error: unknown): never {
  const index = duplicateKeyIndex(error);
  if (index === USERNAME_INDEX) throw serviceError("USERNAME_TAKEN");
  if (index === EMAIL_INDEX) throw serviceError("EMAIL_TAKEN");
  throw error;
}
