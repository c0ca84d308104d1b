import { LIMITS, type SessionTokens } from "@fanfare/contract";
import {
  hashSecret,
  newId,
  newSecret,
  orThrow,
  serviceError,
  type Actor,
  type CallClient,
  type NodeContext,
} from "@fanfare/kernel";
import {
  boundsOf,
  formatRefreshToken,
  isOverdue,
  judgeRefresh,
  mustVerifyFirst,
  parseRefreshToken,
  type RefreshToken,
} from "./session.policy.ts";
import {
  REFRESH_LIFETIME_MS,
  type Rotation,
  type SessionDocument,
  type SessionOrigin,
  type SessionRepository,
} from "./session.repository.ts";
import type { UserDocument } from "./user.model.ts";
import { presentOwnUser } from "./user.presenter.ts";
import type { UserRepository } from "./user.repository.ts";

/** How long a client that lost the response of a refresh can repeat it, once. */
const REPEAT_GRACE_MS = 10_000;
/** Each failed attempt means that the token was used concurrently, so the next verdict differs. */
const MAX_ATTEMPTS = 4;
const SESSIONS_PER_PAGE = 500;
const OVERDUE_SWEEP_MS = 60_000;

export type Sessions = ReturnType<typeof createSessions>;

/** Opens, refreshes and ends sessions, and notifies all processes of ended ones. */
export function createSessions(node: NodeContext, repository: SessionRepository) {
  const broadcastEnded = (userId: string, sessionIds: string[]): void => {
    if (sessionIds.length > 0) node.broadcast("session.ended", { userId, sessionIds });
  };

  const present = (user: UserDocument, token: RefreshToken, refreshTokenExpiresAt: Date): SessionTokens => {
    const { sessionId } = token;
    const access = node.tokens.sign(actorOf(user, sessionId));
    return {
      user: presentOwnUser(user),
      sessionId,
      accessToken: access.accessToken,
      accessTokenExpiresAt: access.expiresAt.toISOString(),
      refreshToken: formatRefreshToken(token),
      refreshTokenExpiresAt: refreshTokenExpiresAt.toISOString(),
    };
  };

  return {
    countActive: (from: Date, before: Date) => repository.countActive(from, before),

    /**
     * Opens a session for a user whose document can still be in the process of being stored.
     * @throws {ServiceError} USER_DISABLED; EMAIL_NOT_VERIFIED; UNAUTHENTICATED when the user is deleted
     */
    async open(
      user: UserDocument,
      client: CallClient | null,
      { byOidc, byPasskey }: SessionOrigin = {},
    ): Promise<SessionTokens> {
      if (user.disabledAt !== undefined) throw serviceError("USER_DISABLED");
      if (user.deletedAt !== undefined) throw serviceError("UNAUTHENTICATED");
      if (mustVerifyFirst(user)) throw serviceError("EMAIL_NOT_VERIFIED");
      const sessionId = newId();
      const token = { sessionId, family: newSecret(), current: newSecret() };
      const now = new Date();
      const fields = rotation(token, null, now);
      await repository.insert({
        _id: sessionId,
        userId: user._id,
        createdAt: now,
        ...clientFields(client),
        ...(byOidc && { byOidc }),
        ...(byPasskey && { byPasskey }),
        ...(user.kind === "guest" && { isGuest: true }),
        ...fields,
      });
      return present(user, token, fields.expiresAt);
    },

    /** Ends the user's oldest sessions beyond the limit. */
    async trim(userId: string): Promise<void> {
      broadcastEnded(userId, await repository.revokeOldest(userId, LIMITS.sessionsPerUser));
    },

    /**
     * Exchanges a refresh token for the next one.
     * @throws {ServiceError} UNAUTHENTICATED or SESSION_REVOKED
     */
    async refresh(
      refreshToken: string,
      findUser: (userId: string) => Promise<UserDocument | null>,
    ): Promise<SessionTokens> {
      const shown = orThrow(parseRefreshToken(refreshToken), "UNAUTHENTICATED");
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const session = await repository.find(shown.sessionId);
        const now = new Date();
        const verdict = judgeRefresh(session, shown, now);
        if (session === null || verdict === "unknown") throw serviceError("UNAUTHENTICATED");
        if (verdict === "ended") throw serviceError("SESSION_REVOKED");
        const userId = session.userId;
        if (verdict === "reused") {
          broadcastEnded(userId, await repository.revoke(shown.sessionId));
          throw serviceError("SESSION_REVOKED");
        }
        const user = await findUser(userId);
        if (user === null || user.deletedAt !== undefined) throw serviceError("UNAUTHENTICATED");
        if (user.disabledAt !== undefined) throw serviceError("USER_DISABLED");
        // A session of the guest that outlived the claim because the process died before ending it.
        if (mustVerifyFirst(user)) {
          broadcastEnded(userId, await repository.revokeAll(userId));
          throw serviceError("SESSION_REVOKED");
        }
        if (isOverdue(session, user, boundsOf(await node.policy.get(), now))) {
          broadcastEnded(userId, await repository.revoke(session._id));
          throw serviceError("SESSION_REVOKED");
        }
        const next = { ...shown, current: newSecret() };
        const fields = rotation(next, verdict === "current" ? session.currentHash : null, now);
        if (await repository.rotate(session, fields)) return present(user, next, fields.expiresAt);
      }
      throw serviceError("SESSION_REVOKED");
    },

    /**
     * Continues a session with new tokens and ends all other sessions of the user. The old refresh token becomes invalid
     * immediately, and open sockets act as the updated user.
     * @throws {ServiceError} SESSION_REVOKED
     */
    async continueAlone(user: UserDocument, sessionId: string): Promise<SessionTokens> {
      const userId = user._id;
      broadcastEnded(userId, await repository.revokeOthers(userId, sessionId));
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const session = await repository.find(sessionId);
        if (session === null || session.revokedAt !== undefined) break;
        const token = { sessionId, family: newSecret(), current: newSecret() };
        const fields = rotation(token, null, new Date());
        const rotate = session.isGuest === true ? repository.rotateClaimed : repository.rotate;
        if (!(await rotate(session, fields))) continue;
        node.broadcast("session.changed", actorOf(user, sessionId));
        return present(user, token, fields.expiresAt);
      }
      throw serviceError("SESSION_REVOKED");
    },

    /** Ends the sessions that the policy no longer allows, which closes their sockets. */
    async endOverdue(
      findUsers: (userIds: readonly string[]) => Promise<UserDocument[]>,
      now: Date,
      signal?: AbortSignal,
    ): Promise<void> {
      const bounds = boundsOf(await node.policy.get(), now);
      if (bounds === null) return;
      for (let after: string | null = null; ;) {
        const page: SessionDocument[] = await repository.listOverdue(bounds, after, SESSIONS_PER_PAGE);
        const found = await findUsers([...new Set(page.map(({ userId }) => userId))]);
        const users = new Map(found.map((user) => [user._id, user]));
        const overdue = page.filter((session) => {
          const user = users.get(session.userId);
          return user !== undefined && isOverdue(session, user, bounds);
        });
        const ended = new Set(await repository.revokeMany(overdue.map(({ _id }) => _id)));
        for (const [userId, sessions] of Map.groupBy(overdue, (session) => session.userId)) {
          const ids = sessions.map(({ _id }) => _id);
          broadcastEnded(
            userId,
            ids.filter((id) => ended.has(id)),
          );
        }
        signal?.throwIfAborted();
        if (page.length < SESSIONS_PER_PAGE) return;
        after = page.at(-1)!._id;
      }
    },

    async end(userId: string, sessionId: string): Promise<void> {
      broadcastEnded(userId, await repository.revoke(sessionId));
    },

    /** @returns false when the user has no such active session */
    async endOne(userId: string, sessionId: string): Promise<boolean> {
      const ended = await repository.revokeOf(userId, sessionId);
      broadcastEnded(userId, ended);
      return ended.length > 0;
    },

    async endOthers(userId: string, sessionId: string): Promise<void> {
      broadcastEnded(userId, await repository.revokeOthers(userId, sessionId));
    },

    async endAll(userId: string): Promise<void> {
      broadcastEnded(userId, await repository.revokeAll(userId));
    },
  };
}

/** Ends sessions whose clients don't refresh their tokens: those with an open socket. */
export function defineOverdueSweep(node: NodeContext, sessions: Sessions, users: UserRepository): void {
  node.jobs.define("user.endOverdueSessions", {
    everyMs: OVERDUE_SWEEP_MS,
    run: ({ signal }) => sessions.endOverdue(users.findMany, new Date(), signal),
  });
}

function actorOf(user: UserDocument, sessionId: string): Actor {
  const admin = user.admin === true && { admin: user.admin };
  return { userId: user._id, sessionId, kind: user.kind, ...admin };
}

function clientFields(client: CallClient | null): Pick<SessionDocument, "address" | "userAgent"> {
  if (client === null) return {};
  const userAgent = client.userAgent?.slice(0, LIMITS.userAgentMaxChars).toWellFormed();
  return { address: client.address, ...(userAgent === undefined ? {} : { userAgent }) };
}

/** @param previousHash of the token that can be repeated within the grace period, or null */
function rotation({ family, current }: RefreshToken, previousHash: string | null, now: Date): Rotation {
  return {
    familyHash: hashSecret(family),
    currentHash: hashSecret(current),
    previousHash,
    graceUntil: previousHash === null ? null : new Date(now.getTime() + REPEAT_GRACE_MS),
    refreshedAt: now,
    expiresAt: new Date(now.getTime() + REFRESH_LIFETIME_MS),
  };
}
