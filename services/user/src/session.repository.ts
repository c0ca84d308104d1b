import { LIMITS } from "@fanfare/contract";
import { ACCESS_TOKEN_LIFETIME_MS } from "@fanfare/kernel";
import type { Connection, QueryFilter, Types } from "mongoose";
import { sessionModel, type SessionDocument } from "./session.model.ts";
import { DURABLE } from "./user.model.ts";

/** A clock of another process may be behind this much, so ended sessions are told a little longer. */
const CLOCK_SKEW_MS = 60_000;
const REMEMBER_REVOKED_MS = ACCESS_TOKEN_LIFETIME_MS + CLOCK_SKEW_MS;

export type Rotation = Pick<
  SessionDocument,
  "familyHash" | "currentHash" | "previousHash" | "graceUntil" | "refreshedAt" | "expiresAt"
>;

export type SessionRepository = ReturnType<typeof createSessionRepository>;

/** Every query of the collection sessions. */
export function createSessionRepository(connection: Connection) {
  const sessions = sessionModel(connection);
  const living = { revokedAt: null };

  const revokeWhere = async (filter: QueryFilter<SessionDocument>): Promise<string[]> => {
    const found = await sessions.find({ ...filter, ...living }, { _id: 1 }).lean();
    if (found.length === 0) return [];
    const now = Date.now();
    await sessions.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, ...living },
      { $set: { revokedAt: new Date(now), expiresAt: new Date(now + REMEMBER_REVOKED_MS) } },
    );
    return found.map(({ _id }) => _id.toHexString());
  };

  return {
    async insert(session: SessionDocument): Promise<void> {
      await sessions.collection.insertOne(session, { writeConcern: DURABLE });
    },

    find: (sessionId: string) => sessions.findById(sessionId).lean(),

    /** false when the session has ended or somebody else has rotated it in the meantime. */
    async rotate(session: SessionDocument, rotation: Rotation): Promise<boolean> {
      const result = await sessions.updateOne(
        { _id: session._id, currentHash: session.currentHash, ...living },
        { $set: rotation },
      );
      return result.matchedCount === 1;
    },

    /** @returns the ids of those that were alive. */
    revoke: (sessionId: string) => revokeWhere({ _id: sessionId }),

    revokeOf: (userId: string, sessionId: string) => revokeWhere({ _id: sessionId, userId }),

    revokeAll: (userId: string) => revokeWhere({ userId }),

    revokeOthers: (userId: string, sessionId: string) => revokeWhere({ userId, _id: { $ne: sessionId } }),

    /** Ends the oldest sessions of a user until at most `max` live. */
    async revokeOldest(userId: string, max: number): Promise<string[]> {
      const found = await sessions
        .find({ userId, ...living }, { _id: 1 })
        .sort({ _id: 1 })
        .lean();
      const tooMany = found.slice(0, Math.max(0, found.length - max));
      return tooMany.length === 0 ? [] : revokeWhere({ _id: { $in: tooMany.map(({ _id }) => _id) } });
    },

    /** Where the user's sessions were opened from. */
    async forgetClients(userId: string): Promise<void> {
      await sessions.updateMany({ userId }, { $unset: { address: 1, userAgent: 1 } });
    },

    /** Newest first. */
    listLiving: (userId: string, now: Date) =>
      sessions
        .find({ userId, ...living, expiresAt: { $gt: now } })
        .sort({ _id: -1 })
        .limit(LIMITS.sessionsPerUser)
        .lean(),

    /** When a living session of each of the users was last refreshed; nothing of those who have none. */
    async lastRefreshes(userIds: readonly Types.ObjectId[], now: Date): Promise<Map<string, Date>> {
      if (userIds.length === 0) return new Map();
      const found = await sessions
        .find({ userId: { $in: userIds }, ...living, expiresAt: { $gt: now } }, { userId: 1, refreshedAt: 1 })
        .lean();
      const last = new Map<string, Date>();
      for (const { userId, refreshedAt } of found) {
        const key = userId.toHexString();
        const known = last.get(key);
        if (known === undefined || known < refreshedAt) last.set(key, refreshedAt);
      }
      return last;
    },

    /** Those whose access tokens may still be valid, of `withinMs` at most. */
    async listRevokedIds(withinMs = REMEMBER_REVOKED_MS): Promise<string[]> {
      const since = new Date(Date.now() - Math.min(withinMs, REMEMBER_REVOKED_MS));
      const found = await sessions.find({ revokedAt: { $gt: since } }, { _id: 1 }).lean();
      return found.map(({ _id }) => _id.toHexString());
    },
  };
}
