import type { NodeContext } from "@fanfare/kernel";
import { emailOf, usernameFor } from "./external-accounts.ts";
import { assertBelowUserLimit, assertPasswordsAccepted } from "./registration.policy.ts";
import type { UserDocument } from "./user.model.ts";
import { createAllUsersRepository, createUserRepository, newAccount } from "./user.repository.ts";

/** A user of another chat server. */
export interface ImportedPerson {
  username: string;
  email: string | null;
}

/** Makes accounts like `admin.createUser` does, for an import that stores them itself, and sends no links. */
export function createImportedAccounts({ database, policy }: Pick<NodeContext, "database" | "policy">) {
  const users = createUserRepository(database);
  const allUsers = createAllUsersRepository(database);
  const usernames = new Set<string>();
  const emails = new Set<string>();

  const freeUsername = async (wanted: string): Promise<string> => {
    for (let isAgain = false; ; isAgain = true) {
      const username = usernameFor({ names: { username: wanted } }, isAgain);
      const lower = username.toLowerCase();
      if (usernames.has(lower) || (await users.findByUsername(lower)) !== null) continue;
      usernames.add(lower);
      return username;
    }
  };
  const freeEmail = async (wanted: string | null): Promise<string | undefined> => {
    const email = emailOf({ email: wanted });
    const lower = email?.toLowerCase();
    if (email === null || lower === undefined) return undefined;
    if (emails.has(lower) || (await users.findByEmail(lower)) !== null) return undefined;
    emails.add(lower);
    return email;
  };

  return {
    /** @throws {ServiceError} OIDC_REQUIRED, LIMIT_REACHED */
    async assertAllowed(accounts: number): Promise<void> {
      const current = await policy.get();
      assertPasswordsAccepted(current);
      await assertBelowUserLimit(current, allUsers, accounts);
    },

    /** The username is changed if it is invalid or taken, and an address that another account has is left out. */
    async make(userId: string, nickname: string, person: ImportedPerson): Promise<UserDocument> {
      const username = await freeUsername(person.username);
      return {
        ...newAccount({ username, nickname, email: await freeEmail(person.email) }),
        _id: userId,
      };
    },

    /** Keeps accounts that someone has signed in to. */
    removeUnclaimed: (userIds: readonly string[]) => users.removeUnclaimed(userIds),
  };
}
