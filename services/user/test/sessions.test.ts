import { LIMITS, type SessionTokens } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { passwordActions } from "../src/password.ts";
import { actorOf, newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

const guest = () => node.call("user.createGuest", {});
const refresh = ({ refreshToken }: SessionTokens) => node.call("user.refresh", { refreshToken });
const revokedIds = async (withinMs?: number) =>
  (await node.call("user.listRevokedSessions", withinMs === undefined ? {} : { withinMs })).sessionIds;
const endGrace = ({ sessionId }: SessionTokens) =>
  node.node.database
    .collection("sessions")
    .updateOne({ _id: new Types.ObjectId(sessionId) }, { $set: { graceUntil: new Date(0) } });

describe("user.refresh", () => {
  test("returns new tokens of the same session, repeatedly", async () => {
    let tokens = await guest();
    const seen = new Set([tokens.refreshToken]);
    for (let round = 0; round < 5; round += 1) {
      const next = await refresh(tokens);
      expect(next.sessionId).toBe(tokens.sessionId);
      expect(next.user).toEqual(tokens.user);
      expect(node.node.tokens.verify(next.accessToken)).toEqual(actorOf(tokens));
      seen.add(next.refreshToken);
      tokens = next;
    }
    expect(seen.size).toBe(6);
  });

  test("reusing an older token ends the session, however old it is", async () => {
    const first = await guest();
    const second = await refresh(first);
    const third = await refresh(second);
    await expect(refresh(first)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    await expect(refresh(third)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: first.user.id, sessionIds: [first.sessionId] });
    expect(await revokedIds()).toContain(first.sessionId);
    expect(await revokedIds(60_000)).toContain(first.sessionId);
    await node.node.database
      .collection("sessions")
      .updateOne(
        { _id: new Types.ObjectId(first.sessionId) },
        { $set: { revokedAt: new Date(Date.now() - 61_000) } },
      );
    expect(await revokedIds()).toContain(first.sessionId);
    expect(await revokedIds(60_000)).not.toContain(first.sessionId);
  });

  test("ends the sessions of a guest whose claim was stored without ending them", async () => {
    const [first, other] = [await guest(), await guest()];
    // The state after the process died between the two writes of user.claimGuest.
    await node.node.database
      .collection("users")
      .updateOne(
        { _id: new Types.ObjectId(first.user.id) },
        { $set: { kind: "member", mustVerifyEmail: true } },
      );
    await expect(refresh(first)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: first.user.id, sessionIds: [first.sessionId] });
    expect(await revokedIds()).toContain(first.sessionId);
    await refresh(other);
  });

  test("a client that lost the response can repeat its refresh once", async () => {
    const first = await guest();
    const lost = await refresh(first);
    const second = await refresh(first);
    const third = await refresh(second);
    expect(third.sessionId).toBe(first.sessionId);
    await expect(refresh(lost)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
  });

  test("it can't be repeated twice, or late", async () => {
    const twice = await guest();
    await refresh(twice);
    await refresh(twice);
    await expect(refresh(twice)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    const late = await guest();
    await refresh(late);
    await endGrace(late);
    await expect(refresh(late)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
  });

  test("of many concurrent uses of one token, two succeed and the session ends", async () => {
    const tokens = await guest();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => refresh(tokens)));
    expect(results.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(2);
    expect(await revokedIds()).toContain(tokens.sessionId);
  });

  test("made-up tokens are rejected and end nothing", async () => {
    const tokens = await guest();
    const forged = `${tokens.sessionId}.${"A".repeat(43)}.${"B".repeat(43)}`;
    for (const refreshToken of ["x", forged, `${"0".repeat(24)}.${"A".repeat(43)}.${"B".repeat(43)}`]) {
      await expect(node.call("user.refresh", { refreshToken })).rejects.toMatchObject({
        type: "UNAUTHENTICATED",
      });
    }
    await expect(refresh(tokens)).resolves.toBeDefined();
  });

  test("an expired session can't be refreshed", async () => {
    const tokens = await guest();
    await node.node.database
      .collection("sessions")
      .updateOne({ _id: new Types.ObjectId(tokens.sessionId) }, { $set: { expiresAt: new Date() } });
    await expect(refresh(tokens)).rejects.toMatchObject({
      type: expect.stringMatching(/SESSION_REVOKED|UNAUTH/),
    });
  });

  test("no token secret is stored", async () => {
    const tokens = await guest();
    const stored = await node.node.database
      .collection("sessions")
      .findOne({ _id: new Types.ObjectId(tokens.sessionId) });
    const [, family, current] = tokens.refreshToken.split(".");
    expect(JSON.stringify(stored)).not.toContain(family);
    expect(JSON.stringify(stored)).not.toContain(current);
  });
});

describe("ending sessions", () => {
  const account = async () => {
    const username = newName();
    const first = await node.call("user.register", { username, password: PASSWORD });
    const login = () => node.call("user.login", { username, password: PASSWORD });
    return { username, first, login };
  };

  test("logout ends only this session", async () => {
    const { first, login } = await account();
    const second = await login();
    await node.call("user.logout", {}, actorOf(first));
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: first.user.id, sessionIds: [first.sessionId] });
    await expect(refresh(first)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    await expect(refresh(second)).resolves.toBeDefined();
    const before = node.sessionsEnded.length;
    await node.call("user.logout", {}, actorOf(first));
    expect(node.sessionsEnded.length).toBe(before);
  });

  test("logoutAll ends all of them", async () => {
    const { first, login } = await account();
    const second = await login();
    await node.call("user.logoutAll", {}, actorOf(first));
    const ended = node.sessionsEnded.at(-1);
    expect([...(ended?.sessionIds ?? [])].sort()).toEqual([first.sessionId, second.sessionId].sort());
    for (const tokens of [first, second]) {
      await expect(refresh(tokens)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    }
    expect(await revokedIds()).toEqual(expect.arrayContaining([first.sessionId, second.sessionId]));
  });

  test("changing the password ends all of them and opens a new one", async () => {
    const { username, first, login } = await account();
    const second = await login();
    const change = { oldPassword: PASSWORD, newPassword: "another horse" };
    const continued = await node.call("user.changePassword", change, actorOf(first));
    expect(continued.sessionId).not.toBe(first.sessionId);
    await expect(refresh(first)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    expect(node.sessionsEnded.flatMap(({ sessionIds }) => sessionIds)).toEqual(
      expect.arrayContaining([first.sessionId, second.sessionId]),
    );
    await expect(refresh(continued)).resolves.toBeDefined();
    await expect(refresh(second)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    await expect(login()).rejects.toMatchObject({ type: "WRONG_CREDENTIALS" });
    await expect(node.call("user.login", { username, password: "another horse" })).resolves.toBeDefined();
    await expect(node.call("user.changePassword", change, actorOf(first))).rejects.toMatchObject({
      type: "WRONG_CREDENTIALS",
    });
  });

  test("no other session survives if the process dies when the new password is stored", async () => {
    const { first, login } = await account();
    const second = await login();
    const dependencies = otherDependencies(node);
    const dying = passwordActions({
      ...dependencies,
      sessions: { ...dependencies.sessions, open: () => Promise.reject(new Error("killed")) },
    })["user.changePassword"]!;
    const request = {
      params: { oldPassword: PASSWORD, newPassword: "another horse", revokeTokens: false },
      actor: actorOf(first),
      access: undefined,
      services: node.node.services,
      requestId: "test",
      askedAtMs: Date.now(),
      client: null,
    };
    await expect(dying(request)).rejects.toThrow("killed");
    await expect(refresh(second)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    await expect(refresh(first)).resolves.toBeDefined();
  });

  test("an ended session can't change the password", async () => {
    const { first } = await account();
    await node.call("user.logout", {}, actorOf(first));
    const change = { oldPassword: PASSWORD, newPassword: "another horse" };
    await expect(node.call("user.changePassword", change, actorOf(first))).rejects.toMatchObject({
      type: "SESSION_REVOKED",
    });
  });

  test("the oldest sessions beyond the limit end", async () => {
    const { first, login } = await account();
    const sessions = node.node.database.collection("sessions");
    const template = await sessions.findOne({ _id: new Types.ObjectId(first.sessionId) });
    const fill = Array.from({ length: LIMITS.sessionsPerUser - 1 }, () => ({
      ...template,
      _id: new Types.ObjectId(),
    }));
    await sessions.insertMany(fill);
    const newest = await login();
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: first.user.id, sessionIds: [first.sessionId] });
    await expect(refresh(newest)).resolves.toBeDefined();
  });

  test("users who have logged out count as active for the rest of the day, without their addresses; bots don't", async () => {
    const sessions = node.node.database.collection("sessions");
    const hour = 3_600_000;
    const active = async () => {
      // What the database has deleted by then.
      await sessions.deleteMany({ expiresAt: { $lt: new Date(Date.now() + 23 * hour) } });
      const [from, before] = [-hour, hour].map((ms) => new Date(Date.now() + ms).toISOString());
      return (await node.call("user.countActive", { from: from!, before: before! })).activeUsers;
    };
    const others = await active();
    const client = { address: "127.0.0.9", userAgent: "browser" };
    const tokens = await node.call("user.createGuest", {}, null, client);
    const { user: bot } = await node.call("user.createBot", { name: "Bot" });
    for (const _ of [1, 2]) await node.call("user.openBotSession", { userId: bot.id });
    expect(await active()).toBe(others + 1);
    await node.call("user.logout", {}, actorOf(tokens));
    expect(await active()).toBe(others + 1);
    const ended = await sessions.findOne({ _id: new Types.ObjectId(tokens.sessionId) });
    expect(Object.keys(ended!)).not.toEqual(expect.arrayContaining(["address"]));
    expect(Object.keys(ended!)).not.toEqual(expect.arrayContaining(["userAgent"]));
  });

  test("sessions that ended long ago are no longer listed", async () => {
    const tokens = await guest();
    await node.call("user.logout", {}, actorOf(tokens));
    await node.node.database
      .collection("sessions")
      .updateOne(
        { _id: new Types.ObjectId(tokens.sessionId) },
        { $set: { revokedAt: new Date(Date.now() - 3_600_000) } },
      );
    expect(await revokedIds()).not.toContain(tokens.sessionId);
  });
});
