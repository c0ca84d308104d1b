import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

const register = async (username = newName(), nickname?: string) => {
  const tokens = await node.call("user.register", { username, password: PASSWORD, nickname });
  return { ...tokens, actor: actorOf(tokens) };
};

describe("user.search", () => {
  test("finds accounts by a prefix of either name, in any case, each once", async () => {
    const me = await register();
    const one = await register("Zebra.One", "Someone");
    const two = await register("Other.Two", "zebra 二");
    const both = await register("zebra.three", "Zebra");
    const { users } = await node.call("user.search", { query: "ZEBRA" }, me.actor);
    expect(users.map(({ id }) => id).sort()).toEqual([one, two, both].map(({ user }) => user.id).sort());
    expect(JSON.stringify(users)).not.toContain("email");
    const { users: first } = await node.call("user.search", { query: "zebra", limit: 1 }, me.actor);
    expect(first).toHaveLength(1);
  });

  test("finds a new nickname and a claimed account, but not guests or the caller", async () => {
    const me = await register();
    const renamed = await register();
    await node.call("user.updateProfile", { nickname: "Quokka" }, renamed.actor);
    const guest = await node.call("user.createGuest", { nickname: "Quokka guest" });
    await node.call("user.updateProfile", { nickname: "Quokka still a guest" }, actorOf(guest));
    const search = async (actor = me.actor) =>
      (await node.call("user.search", { query: "quo" }, actor)).users.map(({ id }) => id);
    expect(await search()).toEqual([renamed.user.id]);
    expect(await search(renamed.actor)).toEqual([]);
    await node.call("user.claimGuest", { username: newName(), password: PASSWORD }, actorOf(guest));
    expect(await search()).toContain(guest.user.id);
  });

  test.each([".*", "^a", "a\u0000", "%", "$where", "[a"])(
    "%j is matched as text, not as a pattern",
    async (query) => {
      const { actor } = await register();
      expect((await node.call("user.search", { query: query.padEnd(2, "x") }, actor)).users).toEqual([]);
    },
  );

  test("omits users who have blocked the caller", async () => {
    const [me, shy] = [await register(), await register("Walrus")];
    const search = async () => (await node.call("user.search", { query: "walrus" }, me.actor)).users.length;
    expect(await search()).toBe(1);
    await node.call("user.block", { userId: me.user.id }, shy.actor);
    expect(await search()).toBe(0);
  });
});

describe("blocks", () => {
  test("are listed page by page for the user who made them, and apply to both sides", async () => {
    const me = await register();
    const others = [await register(), await register(), await register()];
    for (const { user } of others) {
      await node.call("user.block", { userId: user.id }, me.actor);
      await node.call("user.block", { userId: user.id }, me.actor);
    }
    const page = await node.call("user.listBlocked", { limit: 2 }, me.actor);
    expect(page.users).toHaveLength(2);
    const rest = await node.call("user.listBlocked", { limit: 2, afterUserId: page.nextUserId! }, me.actor);
    expect([...page.users, ...rest.users].map(({ id }) => id).sort()).toEqual(
      others.map(({ user }) => user.id).sort(),
    );
    expect(rest.nextUserId).toBeNull();
    const [other] = others;
    expect((await node.call("user.listBlocked", {}, other!.actor)).users).toEqual([]);
    const among = (userId: string, userIds: string[]) =>
      node.call("user.listBlockedAmong", { userId, userIds });
    expect((await among(me.user.id, [other!.user.id, "0".repeat(24)])).userIds).toEqual([other!.user.id]);
    expect((await among(other!.user.id, [me.user.id])).userIds).toEqual([me.user.id]);
    await node.call("user.unblock", { userId: other!.user.id }, me.actor);
    expect((await among(other!.user.id, [me.user.id])).userIds).toEqual([]);
  });

  test("require another, existing user", async () => {
    const { user, actor } = await register();
    await expect(node.call("user.block", { userId: user.id }, actor)).rejects.toMatchObject({
      type: "VALIDATION_FAILED",
    });
    await expect(node.call("user.block", { userId: "0".repeat(24) }, actor)).rejects.toMatchObject({
      type: "USER_NOT_FOUND",
    });
  });
});

describe("sessions", () => {
  test("are listed with their client, and can be ended one by one, only by their user", async () => {
    const first = await register();
    const client = { address: "192.0.2.7", userAgent: "Browser \ud800".padEnd(1000, "x") };
    const login = { username: first.user.username!, password: PASSWORD };
    const second = await node.call("user.login", login, null, client);
    const { sessions } = await node.call("user.listSessions", {}, first.actor);
    expect(sessions.map(({ id, current }) => [id, current])).toEqual([
      [second.sessionId, false],
      [first.sessionId, true],
    ]);
    expect(sessions[0]).toMatchObject({
      address: "192.0.2.7",
      userAgent: expect.stringMatching(/^Browser .xx/),
    });
    expect(sessions[0]!.userAgent!.length).toBe(256);

    const stranger = await register();
    const { sessionId } = second;
    for (const actor of [stranger.actor, null]) {
      await expect(node.call("user.revokeSession", { sessionId }, actor)).rejects.toMatchObject({
        type: actor === null ? "UNAUTHENTICATED" : "SESSION_NOT_FOUND",
      });
    }
    await node.call("user.revokeSession", { sessionId }, first.actor);
    expect(node.sessionsEnded.at(-1)).toEqual({ userId: first.user.id, sessionIds: [sessionId] });
    await expect(node.call("user.refresh", second)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
    expect((await node.call("user.listSessions", {}, first.actor)).sessions).toHaveLength(1);
    await expect(node.call("user.revokeSession", { sessionId }, first.actor)).rejects.toMatchObject({
      type: "SESSION_NOT_FOUND",
    });
  });
});
