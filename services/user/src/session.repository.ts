import { LIMITS } from "@fanfare/contract";
import { ACCESS_TOKEN_LIFETIME_MS, defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema, type QueryFilter } from "mongoose";

export interface SessionDocument {
  _id: string;
  userId: string;
  /** SHA-256 of the part of the refresh token that never changes. */
  familyHash: string;
  /** SHA-256 of the part that the next refresh must present. */
  currentHash: string;
  /** The part before the last refresh, accepted once more until `graceUntil`. */
  previousHash: string | null;
  graceUntil: Date | null;
  /** The client that opened the session. */
  address?: string;
  userAgent?: string;
  /** Opened by a login at the OIDC provider, which is responsible for the second factor. */
  byOidc?: true;
  /** Opened with a passkey, which has verified its user. */
  byPasskey?: true;
  /** Of a guest: the session policy doesn't apply. */
  isGuest?: true;
  createdAt: Date;
  refreshedAt: Date;
  /** When a gateway last reported that the session was used. */
  usedAt?: Date;
  /** When the refresh token expires; for a revoked session, when it is no longer needed. */
  expiresAt: Date;
  /** Absent while the session is active, so that the sparse index only contains ended ones. */
  revokedAt?: Date;
}

const schema = new Schema<SessionDocument>(
  {
    userId: REQUIRED_ID,
    familyHash: { type: String, required: true },
    currentHash: { type: String, required: true },
    previousHash: { type: String, default: null },
    graceUntil: { type: Date, default: null },
    address: String,
    userAgent: String,
    byOidc: Boolean,
    byPasskey: Boolean,
    isGuest: Boolean,
    createdAt: { type: Date, required: true },
    refreshedAt: { type: Date, required: true },
    usedAt: Date,
    expiresAt: { type: Date, required: true },
    revokedAt: Date,
  },
  { collection: "sessions" },
);
schema.index({ userId: 1, revokedAt: 1, _id: 1 });
schema.index({ revokedAt: 1 }, { sparse: true });
// For the session policy.
schema.index({ createdAt: 1 });
schema.index({ refreshedAt: 1 });
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** How a session was opened; neither: with a password. */
export type SessionOrigin = Pick<SessionDocument, "byOidc" | "byPasskey">;

/** Sessions opened, or last used, before these times have ended. */
export interface SessionBounds {
  openedBefore: Date;
  usedBefore: Date;
}

/** How long a session lasts without a refresh. */
export const REFRESH_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Clocks of other processes can be behind by this much, so ended sessions are listed a little longer. */
const CLOCK_SKEW_MS = 60_000;
const REMEMBER_REVOKED_MS = ACCESS_TOKEN_LIFETIME_MS + CLOCK_SKEW_MS;
/** Until the active users of the day are counted. */
const KEEP_REVOKED_MS = 24 * 60 * 60 * 1000;

/** Sessions that expire later never do. */
const neverBefore = (timeMs: number): Date => new Date(timeMs + 2 * REFRESH_LIFETIME_MS);

export type Rotation = Pick<
  SessionDocument,
  "familyHash" | "currentHash" | "previousHash" | "graceUntil" | "refreshedAt" | "expiresAt"
>;

export type SessionRepository = ReturnType<typeof createSessionRepository>;

/** Queries of the collection sessions. */
export const createSessionRepository = defineRepository(
  { name: "Session", schema },
  ({ model: sessions, insert, update, updateAll }) => {
    const living = { revokedAt: null };

    const revokeWhere = async (filter: QueryFilter<SessionDocument>): Promise<string[]> => {
      const found = await sessions.find({ ...filter, ...living }, { expiresAt: 1 }).lean();
      if (found.length === 0) return [];
      const now = Date.now();
      // Bots aren't counted.
      const isOfBot = found.some(({ expiresAt }) => expiresAt > neverBefore(now));
      const expiresAt = new Date(now + (isOfBot ? REMEMBER_REVOKED_MS : KEEP_REVOKED_MS));
      await sessions.updateMany(
        { _id: { $in: found.map(({ _id }) => _id) }, ...living },
        { $set: { revokedAt: new Date(now), expiresAt }, $unset: { address: 1, userAgent: 1 } },
      );
      return found.map(({ _id }) => _id);
    };

    return {
      insert,

      find: (sessionId: string) => sessions.findById(sessionId).lean(),

      /** @returns false when the session has ended or another request has rotated it in the meantime */
      rotate: (session: SessionDocument, rotation: Rotation) =>
        update({ _id: session._id, currentHash: session.currentHash, ...living }, { $set: rotation }),

      /** Like `rotate`, for a guest who has just created an account: as after a login. */
      rotateClaimed: (session: SessionDocument, rotation: Rotation) =>
        update(
          { _id: session._id, currentHash: session.currentHash, ...living },
          { $set: { ...rotation, createdAt: rotation.refreshedAt }, $unset: { isGuest: 1 } },
        ),

      /** @returns the ids of sessions that were active */
      revoke: (sessionId: string) => revokeWhere({ _id: sessionId }),

      revokeOf: (userId: string, sessionId: string) => revokeWhere({ _id: sessionId, userId }),

      revokeAll: (userId: string) => revokeWhere({ userId }),

      revokeOthers: (userId: string, sessionId: string) => revokeWhere({ userId, _id: { $ne: sessionId } }),

      /** Ends the oldest sessions of a user until at most `max` are active. */
      async revokeOldest(userId: string, max: number): Promise<string[]> {
        const found = await sessions
          .find({ userId, ...living }, { _id: 1 })
          .sort({ _id: 1 })
          .lean();
        const tooMany = found.slice(0, Math.max(0, found.length - max));
        return tooMany.length === 0 ? [] : revokeWhere({ _id: { $in: tooMany.map(({ _id }) => _id) } });
      },

      /** Removes the client data of the user's sessions. */
      forgetClients: (userId: string) => updateAll({ userId }, { $unset: { address: 1, userAgent: 1 } }),

      /**
       * Users and guests who last refreshed a session in this period, at most a day ago; not bots, whose sessions never expire.
       */
      async countActive(from: Date, before: Date): Promise<number> {
        const [found] = await sessions.aggregate<{ users: number }>([
          {
            $match: {
              refreshedAt: { $gte: from, $lt: before },
              expiresAt: { $lt: neverBefore(before.getTime()) },
            },
          },
          { $group: { _id: "$userId" } },
          { $group: { _id: null, users: { $sum: 1 } } },
        ]);
        return found?.users ?? 0;
      },

      touch: (sessionIds: readonly string[], usedAt: Date) =>
        updateAll({ _id: { $in: [...sessionIds] }, ...living }, { $set: { usedAt } }),

      revokeMany: (sessionIds: readonly string[]) => revokeWhere({ _id: { $in: [...sessionIds] } }),

      /** Sessions opened, or last used, before these times; by id. Not those of guests, or of bots, which never expire. */
      listOverdue: ({ openedBefore, usedBefore }: SessionBounds, after: string | null, limit: number) =>
        sessions
          .find({
            ...(after !== null && { _id: { $gt: after } }),
            ...living,
            isGuest: null,
            expiresAt: { $lt: neverBefore(Date.now()) },
            $or: [
              { createdAt: { $lt: openedBefore } },
              {
                refreshedAt: { $lt: usedBefore },
                $or: [{ usedAt: null }, { usedAt: { $lt: usedBefore } }],
              },
            ],
          })
          .sort({ _id: 1 })
          .limit(limit)
          .lean(),

      /** Newest first. */
      listLiving: (userId: string, now: Date) =>
        sessions
          .find({ userId, ...living, expiresAt: { $gt: now } })
          .sort({ _id: -1 })
          .limit(LIMITS.sessionsPerUser)
          .lean(),

      /** Those of several users, by user. */
      async listLivingOf(userIds: readonly string[], now: Date) {
        const found = await sessions
          .find({ userId: { $in: userIds }, ...living, expiresAt: { $gt: now } }, { userId: 1 })
          .limit(userIds.length * LIMITS.sessionsPerUser)
          .lean();
        return Map.groupBy(found, ({ userId }) => userId);
      },

      /** Time of the last refresh by user, without users who have no active session. */
      async lastRefreshes(userIds: readonly string[], now: Date): Promise<Map<string, Date>> {
        if (userIds.length === 0) return new Map();
        const found = await sessions
          .find(
            { userId: { $in: userIds }, ...living, expiresAt: { $gt: now } },
            { userId: 1, refreshedAt: 1 },
          )
          .lean();
        const last = new Map<string, Date>();
        for (const { userId, refreshedAt } of found) {
          const key = userId;
          const known = last.get(key);
          if (known === undefined || known < refreshedAt) last.set(key, refreshedAt);
        }
        return last;
      },

      /** Sessions whose access tokens can still be valid: at most those revoked within `withinMs`. */
      async listRevokedIds(withinMs = REMEMBER_REVOKED_MS): Promise<string[]> {
        const since = new Date(Date.now() - Math.min(withinMs, REMEMBER_REVOKED_MS));
        const found = await sessions.find({ revokedAt: { $gt: since } }, { _id: 1 }).lean();
        return found.map(({ _id }) => _id);
      },
    };
  },
);
