import { rm } from "node:fs/promises";
import type { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endSessions } from "../src/commands/accounts.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { configOf, newFolder } from "./temporary-instance.ts";

const EACH = 1700;

let dataDir: string;
beforeAll(async () => void (dataDir = await newFolder()));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function fill(db: mongo.Db): Promise<void> {
  const kinds = Array.from({ length: EACH }, () => ["guest", "member"]).flat();
  const { insertedIds } = await db.collection("users").insertMany(kinds.map((kind) => ({ kind })));
  const sessions = Object.values(insertedIds).map((userId) => ({
    userId,
    address: "192.0.2.1",
    userAgent: "a browser",
  }));
  await db.collection("sessions").insertMany(sessions);
}

test("ends all sessions in several batches, those of guests only if requested", async () => {
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    await fill(db);
    const living = () => db.collection("sessions").countDocuments({ revokedAt: { $exists: false } });
    expect(await endSessions(db, { guests: false })).toBe(EACH);
    expect(await living()).toBe(EACH);
    expect(await endSessions(db, { guests: false })).toBe(0);
    expect(await endSessions(db, { guests: true })).toBe(EACH);
    expect(await living()).toBe(0);
    const isPersonal = { $or: [{ address: { $exists: true } }, { userAgent: { $exists: true } }] };
    expect(await db.collection("sessions").countDocuments(isPersonal)).toBe(0);
    // So that they are counted among the active users of the day.
    const isKept = { expiresAt: { $gt: new Date(Date.now() + 12 * 60 * 60 * 1000) } };
    expect(await db.collection("sessions").countDocuments(isKept)).toBe(2 * EACH);
  });
});
