import type { SessionTokens } from "@fanfare/contract";
import { serviceError, type CallClient } from "@fanfare/kernel";
import { isSameStanding } from "./session.policy.ts";
import type { Sessions } from "./sessions.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

export type LogIn = ReturnType<typeof createLogIn>;

/** Opens a session for somebody who has just shown that the account is theirs. */
export function createLogIn(users: UserRepository, sessions: Sessions) {
  /**
   * @param user as it was when they showed it
   * @throws {ServiceError} USER_DISABLED, or WRONG_CREDENTIALS when what they showed is no longer good
   */
  return async (
    user: UserDocument,
    client: CallClient | null,
    how?: { byOidc: boolean },
  ): Promise<SessionTokens> => {
    const userId = user._id;
    const tokens = await sessions.open(user, client, how);
    // The password may have been changed, and all sessions ended, while this one was being opened with the old one.
    const now = await users.find(userId);
    if (now?.passwordHash !== user.passwordHash || !isSameStanding(now, user)) {
      await sessions.end(userId, tokens.sessionId);
      throw serviceError(now?.disabledAt === undefined ? "WRONG_CREDENTIALS" : "USER_DISABLED");
    }
    await sessions.trim(userId);
    return tokens;
  };
}
