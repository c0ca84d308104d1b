import { duplicateKeyIndex, serviceError } from "@fanfare/kernel";
import { EMAIL_INDEX, USERNAME_INDEX } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

/**
 * Spares a password hash for names that are taken already. The unique indexes have the last word.
 * @throws {ServiceError} USERNAME_TAKEN or EMAIL_TAKEN
 */
export async function refuseTaken(
  users: UserRepository,
  { username, email }: { username: string; email?: string | undefined },
): Promise<void> {
  const [byName, byEmail] = await Promise.all([
    users.findByUsername(username),
    email === undefined ? null : users.findByEmail(email),
  ]);
  if (byName !== null) throw serviceError("USERNAME_TAKEN");
  if (byEmail !== null) throw serviceError("EMAIL_TAKEN");
}

/** Turns the database's refusal of a taken name into the contract's error, and throws any other error as it is. */
export function throwTaken(error: unknown): never {
  const index = duplicateKeyIndex(error);
  if (index === USERNAME_INDEX) throw serviceError("USERNAME_TAKEN");
  if (index === EMAIL_INDEX) throw serviceError("EMAIL_TAKEN");
  throw error;
}
