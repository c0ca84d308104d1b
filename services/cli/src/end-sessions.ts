import { DURABLE } from "@fanfare/kernel";
import type { mongo } from "mongoose";

/** As long as the user service remembers an ended session: the life of an access token, and a minute for clocks. */
const REMEMBERED_MS = 16 * 60 * 1000;
const SESSIONS_AT_ONCE = 1000;

interface Session {
  _id: mongo.ObjectId;
  userId: mongo.ObjectId;
}

/**
 * Ends all sessions, those that are opened meanwhile too; however many there are.
 * @returns how many
 */
export async function endSessions(db: mongo.Db, options: { guests: boolean }): Promise<number> {
  const sessions = db.collection<Session>("sessions");
  let ended = 0;
  let after: mongo.ObjectId | undefined;
  for (;;) {
    const living = { revokedAt: { $exists: false }, ...(after !== undefined && { _id: { $gt: after } }) };
    const page = await sessions
      .find(living, { projection: { userId: 1 } })
      .sort({ _id: 1 })
      .limit(SESSIONS_AT_ONCE)
      .toArray();
    after = page.at(-1)?._id;
    if (after === undefined) return ended;
    const kept = options.guests ? new Set<string>() : await guestsAmong(db, page);
    const _id = { $in: page.filter(({ userId }) => !kept.has(String(userId))).map((session) => session._id) };
    const revokedAt = new Date();
    const { modifiedCount } = await sessions.updateMany(
      { _id, revokedAt: { $exists: false } },
      { $set: { revokedAt, expiresAt: new Date(revokedAt.getTime() + REMEMBERED_MS) } },
      { writeConcern: DURABLE },
    );
    ended += modifiedCount;
  }
}

async function guestsAmong(db: mongo.Db, sessions: readonly Session[]): Promise<Set<string>> {
  const _id = { $in: sessions.map(({ userId }) => userId) };
  const guests = await db
    .collection("users")
    .find({ _id, kind: "guest" }, { projection: { _id: 1 } })
    .toArray();
  return new Set(guests.map((guest) => String(guest._id)));
}
