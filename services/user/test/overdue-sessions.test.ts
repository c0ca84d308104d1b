import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

// Sessions that are too old, or were not used for too long.

const MINUTE_MS = 60_000;
let node: UserNode;
let dependencies: ReturnType<typeof otherDependencies>;
beforeAll(async () => {
  node = await startUserNode({ SESSION_MAX_HOURS: "24", SESSION_IDLE_MINUTES: "60" });
  dependencies = otherDependencies(node);
});
afterAll(() => node.stop());

const register = () => node.call("user.register", { username: newName(), password: PASSWORD });
const change = (sessionId: string, fields: object) =>
  node.node.database
    .collection("sessions")
    .updateOne({ _id: new Types.ObjectId(sessionId) }, { $set: fields });
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE_MS);
const sweep = () => dependencies.sessions.endOverdue(dependencies.users.findMany, new Date());

test("old and idle sessions can't be refreshed, and are ended", async () => {
  for (const fields of [{ createdAt: minutesAgo(24 * 60 + 1) }, { refreshedAt: minutesAgo(70) }]) {
    const { refreshToken, sessionId, user } = await register();
    await change(sessionId, fields);
    await expect(node.call("user.refresh", { refreshToken })).rejects.toMatchObject({
      type: "SESSION_REVOKED",
    });
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: user.id, sessionIds: [sessionId] });
  }
});

test("the session of a guest who creates an account is as after a login", async () => {
  const guest = await node.call("user.createGuest", {});
  await change(guest.sessionId, { createdAt: minutesAgo(10_000), refreshedAt: minutesAgo(10_000) });
  const actor = { userId: guest.user.id, sessionId: guest.sessionId, kind: "guest" } as const;
  const claimed = await node.call("user.claimGuest", { username: newName(), password: PASSWORD }, actor);
  await sweep();
  const { refreshToken } = await node.call("user.refresh", claimed);
  // From now on the policy applies.
  await change(guest.sessionId, { createdAt: minutesAgo(24 * 60 + 1) });
  await sweep();
  await expect(node.call("user.refresh", { refreshToken })).rejects.toMatchObject({
    type: "SESSION_REVOKED",
  });
});

test("the sweep ends those, but none that are used, of guests or of bots", async () => {
  const [old, idle, used, fresh] = await Promise.all([register(), register(), register(), register()]);
  const guest = await node.call("user.createGuest", {});
  const { user: bot } = await node.call("user.createBot", { name: "Bot" });
  const { sessionId: ofBot } = await node.call("user.openBotSession", { userId: bot.id });
  const long = { createdAt: minutesAgo(10_000), refreshedAt: minutesAgo(10_000) };
  await Promise.all([
    change(old.sessionId, { createdAt: minutesAgo(24 * 60 + 1) }),
    change(idle.sessionId, { refreshedAt: minutesAgo(70), usedAt: minutesAgo(70) }),
    change(used.sessionId, { refreshedAt: minutesAgo(70) }),
    change(guest.sessionId, long),
    change(ofBot, long),
  ]);
  await node.call("user.touchSessions", { sessionIds: [used.sessionId] });
  const before = node.sessionsEnded.length;
  await sweep();
  const ended = node.sessionsEnded.slice(before);
  expect(ended).toHaveLength(2);
  expect(ended).toEqual(
    expect.arrayContaining(
      [old, idle].map(({ user, sessionId }) => ({ userId: user.id, sessionIds: [sessionId] })),
    ),
  );
  for (const { refreshToken } of [used, fresh, guest]) await node.call("user.refresh", { refreshToken });
  expect(await node.call("user.hasSession", { userId: bot.id, sessionId: ofBot })).toEqual({
    isAlive: true,
  });
});
