import { ACTIONS, actionsWhere, pausesInMaintenance, type EventPayload } from "@fanfare/contract";
import { createAccount, createGuest, createWorld, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

// Admin actions on two gateways: each must learn of them.

let instance: Instance;
let admin: Person & { username: string };
const sockets: Socket[] = [];

beforeAll(async () => {
  instance = await startInstance({ GATEWAY_THREADS: "2" });
  admin = await createAccount(instance.url);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});
afterAll(() => instance?.stop());

/** Enough connections that both gateways have some. */
async function connectMany({ accessToken }: Person, count = 8): Promise<Socket[]> {
  const opened = Array.from({ length: count }, () =>
    io(instance.url, {
      transports: ["websocket"],
      auth: { token: accessToken },
      forceNew: true,
      reconnection: false,
    }),
  );
  sockets.push(...opened);
  await Promise.all(opened.map((socket) => new Promise((resolve) => socket.once("ready", resolve))));
  return opened;
}

const nextEvent = <T>(socket: Socket, name: string): Promise<T> =>
  new Promise((resolve) => socket.once(name, resolve as (payload: T) => void));
const login = ({ username }: { username: string }) =>
  post(instance.url, "user.login", { username, password: "correct horse" });
const failed = (type: string) => ({ ok: false, error: { type } });
const audit = async () => (await must(instance.url, "admin.auditLog", {}, admin.accessToken)).entries;

describe("a disabled user", () => {
  test("is disconnected from every gateway at once, and rejected until enabled again", async () => {
    const target = await createAccount(instance.url);
    const opened = await connectMany(target);
    const closed = opened.map((socket) => nextEvent(socket, "disconnect"));
    const params = { userId: target.userId, reason: "spam" };
    const { user } = await must(instance.url, "admin.disableUser", params, admin.accessToken);
    expect(user).toMatchObject({ id: target.userId, disabledAt: expect.any(String) });
    await Promise.all(closed);
    expect(await post(instance.url, "user.me", {}, target.accessToken)).toMatchObject(
      failed("SESSION_REVOKED"),
    );
    expect(await login(target)).toMatchObject(failed("USER_DISABLED"));
    const wrong = { username: target.username, password: "wrong password" };
    expect(await post(instance.url, "user.login", wrong)).toMatchObject(failed("WRONG_CREDENTIALS"));
    const found = await must(instance.url, "admin.listUsers", { query: target.username }, admin.accessToken);
    expect(found.users).toMatchObject([{ id: target.userId, disabledAt: expect.any(String) }]);

    await must(instance.url, "admin.enableUser", { userId: target.userId }, admin.accessToken);
    expect(await login(target)).toMatchObject({ ok: true });
  });

  test("can't complete a login in progress", async () => {
    const target = await createAccount(instance.url);
    const logins = Array.from({ length: 8 }, () => login(target));
    await must(instance.url, "admin.disableUser", { userId: target.userId }, admin.accessToken);
    for (const answer of await Promise.all(logins)) {
      if (!answer.ok) continue;
      const me = await post(instance.url, "user.me", {}, answer.data.accessToken);
      expect(me).toMatchObject(failed("SESSION_REVOKED"));
    }
  });

  test("can't be an admin, and must exist", async () => {
    for (const [userId, type] of [
      [admin.userId, "FORBIDDEN"],
      ["0".repeat(24), "USER_NOT_FOUND"],
    ] as const) {
      expect(await post(instance.url, "admin.disableUser", { userId }, admin.accessToken)).toMatchObject(
        failed(type),
      );
    }
    expect((await audit()).slice(0, 2)).toMatchObject([
      { action: "admin.disableUser", outcome: "USER_NOT_FOUND" },
      { action: "admin.disableUser", outcome: "FORBIDDEN", params: { userId: admin.userId } },
    ]);
  });
});

describe("admins", () => {
  test("can make others admins; losing the role ends all sessions", async () => {
    const other = await createAccount(instance.url);
    const set = (userId: string, isAdmin: boolean, token = admin.accessToken) =>
      post(instance.url, "admin.setAdmin", { userId, admin: isAdmin }, token);
    expect(await set(other.userId, true)).toMatchObject({ ok: true, data: { user: { admin: true } } });
    // Only the next access token carries the role.
    expect(await post(instance.url, "admin.stats", {}, other.accessToken)).toMatchObject(failed("FORBIDDEN"));
    const again = await login(other);
    const token = again.ok ? again.data.accessToken : "";
    expect(await post(instance.url, "admin.stats", {}, token)).toMatchObject({ ok: true });

    expect(await set(other.userId, false)).toMatchObject({ ok: true, data: { user: { admin: false } } });
    expect(await post(instance.url, "admin.stats", {}, token)).toMatchObject(failed("SESSION_REVOKED"));
    const after = await login(other);
    expect(after).toMatchObject({ ok: true, data: { user: { admin: false } } });
  });

  test("can't be reduced to none, even if two remove each other at once", async () => {
    const last = { userId: admin.userId, admin: false };
    expect(await post(instance.url, "admin.setAdmin", last, admin.accessToken)).toMatchObject(
      failed("LAST_ADMIN"),
    );
    const other = await createAccount(instance.url);
    const grant = { userId: other.userId, admin: true };
    await must(instance.url, "admin.setAdmin", grant, admin.accessToken);
    const both = [last, { userId: other.userId, admin: false }];
    const answers = await Promise.all(
      both.map((params) => post(instance.url, "admin.setAdmin", params, admin.accessToken)),
    );
    expect(answers.filter(({ ok }) => ok).length).toBeLessThanOrEqual(1);
    for (const person of [admin, other]) {
      const answer = await login(person);
      if (!answer.ok || !answer.data.user.admin) continue;
      admin = { ...person, accessToken: answer.data.accessToken };
    }
    expect(await post(instance.url, "admin.stats", {}, admin.accessToken)).toMatchObject({ ok: true });
  });

  test("can't be guests", async () => {
    const guest = await createGuest(instance.url);
    const params = { userId: guest.userId, admin: true };
    expect(await post(instance.url, "admin.setAdmin", params, admin.accessToken)).toMatchObject(
      failed("GUEST_NOT_ALLOWED"),
    );
  });

  test("see counts of users, groups and messages", async () => {
    await createWorld(instance.url);
    await connectMany(await createGuest(instance.url), 1);
    // Counts are cached for a while.
    const stats = await must(instance.url, "admin.stats", {}, admin.accessToken);
    expect(stats.users).toBeGreaterThan(3);
    expect(stats.process).toMatchObject({ version: "0.1.0", services: expect.arrayContaining(["admin"]) });
    for (const n of [stats.online, stats.groups, stats.messages]) expect(n).toBeGreaterThanOrEqual(0);
    expect(stats.maintenance).toEqual({ enabled: false, message: "" });
  });

  test("can list users and groups page by page", async () => {
    const newest = await createAccount(instance.url);
    const first = await must(instance.url, "admin.listUsers", { limit: 2 }, admin.accessToken);
    expect(first.users[0]).toMatchObject({ id: newest.userId, email: null, admin: false, disabledAt: null });
    const params = { limit: 2, beforeUserId: first.nextUserId! };
    const second = await must(instance.url, "admin.listUsers", params, admin.accessToken);
    expect(new Set([...first.users, ...second.users].map(({ id }) => id)).size).toBe(4);
    const { group } = await createWorld(instance.url);
    const { groups } = await must(instance.url, "admin.listGroups", { limit: 1 }, admin.accessToken);
    expect(groups).toMatchObject([{ id: group.id }]);
  });

  test("can delete a group that they can't read", async () => {
    const { group, channel, member } = await createWorld(instance.url);
    const list = { channelId: channel.id };
    expect(await post(instance.url, "message.list", list, admin.accessToken)).toMatchObject(
      failed("CHANNEL_NOT_FOUND"),
    );
    const remove = { groupId: group.id, reason: "unlawful" };
    await must(instance.url, "admin.deleteGroup", remove, admin.accessToken);
    expect(await post(instance.url, "message.list", list, member.accessToken)).toMatchObject(
      failed("CHANNEL_NOT_FOUND"),
    );
    expect(await post(instance.url, "admin.deleteGroup", remove, admin.accessToken)).toMatchObject(
      failed("GROUP_NOT_FOUND"),
    );
    const entries = await audit();
    expect(entries.slice(0, 2)).toMatchObject([
      { action: "admin.deleteGroup", outcome: "GROUP_NOT_FOUND" },
      { action: "admin.deleteGroup", outcome: "done", params: remove, actorId: admin.userId },
    ]);
    expect(entries[0]!.address).toMatch(/127\.0\.0\.1/);
  });

  test("can announce to all connected users", async () => {
    const guests = await connectMany(await createGuest(instance.url));
    const received = guests.map((socket) =>
      nextEvent<EventPayload<"server.announced">>(socket, "server.announced"),
    );
    await must(instance.url, "admin.announce", { text: "Back in five minutes" }, admin.accessToken);
    for (const payload of await Promise.all(received))
      expect(payload).toEqual({ text: "Back in five minutes", announcedAt: expect.any(String) });
  });

  test("can read the audit log page by page, also of one admin", async () => {
    const filter = { actorId: admin.userId, limit: 2 };
    const first = await must(instance.url, "admin.auditLog", filter, admin.accessToken);
    const before = { ...filter, beforeId: first.nextId! };
    const second = await must(instance.url, "admin.auditLog", before, admin.accessToken);
    const ids = [...first.entries, ...second.entries].map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort().toReversed());
    const unknownActor = { actorId: "0".repeat(24) };
    expect((await must(instance.url, "admin.auditLog", unknownActor, admin.accessToken)).entries).toEqual([]);
  });
});

describe("maintenance mode", () => {
  const set = (enabled: boolean, message?: string) =>
    must(instance.url, "admin.setMaintenance", { enabled, message }, admin.accessToken);

  test("rejects changes by everyone but admins, at every gateway", async () => {
    const { member, channel } = await createWorld(instance.url);
    const opened = await connectMany(member);
    const paused = opened.map((socket) => nextEvent(socket, "server.paused"));
    await set(true, "Moving house");
    for (const payload of await Promise.all(paused)) expect(payload).toEqual({ message: "Moving house" });
    const send = (nonce: string) => ({ channelId: channel.id, content: "x", nonce });
    for (const [index, socket] of opened.entries()) {
      expect(await socket.emitWithAck("message.send", send(`paused ${index}`))).toMatchObject({
        ok: false,
        error: { type: "MAINTENANCE", data: { message: "Moving house" }, retryable: true },
      });
      expect(await socket.emitWithAck("message.list", { channelId: channel.id })).toMatchObject({ ok: true });
    }
    const name = `late-${Date.now().toString(36)}`;
    const register = { username: name, password: "correct horse" };
    expect(await post(instance.url, "user.register", register)).toMatchObject(failed("MAINTENANCE"));
    // An expired token can still be refreshed.
    expect(await login(admin)).toMatchObject({ ok: true });
    expect(await post(instance.url, "group.create", { name: "Ours" }, admin.accessToken)).toMatchObject({
      ok: true,
    });
    const resumed = opened.map((socket) => nextEvent(socket, "server.resumed"));
    await set(false);
    await Promise.all(resumed);
    for (const [index, socket] of opened.entries())
      expect(await socket.emitWithAck("message.send", send(`resumed ${index}`))).toMatchObject({ ok: true });
  });

  test("ends, and a gateway's late events don't bring it back", async () => {
    const guest = await createGuest(instance.url);
    const received = (await connectMany(guest)).map((socket) => nextEvent(socket, "server.announced"));
    for (let round = 0; round < 5; round += 1) {
      await set(true, "Round");
      await set(false);
    }
    // An event that both gateways receive after all of that.
    await must(instance.url, "admin.announce", { text: "Over" }, admin.accessToken);
    await Promise.all(received);
    await vi.waitFor(async () =>
      expect(await post(instance.url, "group.create", { name: "Free" }, guest.accessToken)).toMatchObject({
        ok: true,
      }),
    );
  });

  test("allows every action that only reads, signs in or signs out", async () => {
    const { owner, group } = await createWorld(instance.url);
    const groupId = group.id;
    const bot = await must(
      instance.url,
      "bot.create",
      { groupId, name: "Robot", scopes: [] },
      owner.accessToken,
    );
    await set(true);
    try {
      const external = actionsWhere(({ transports }) => transports.length > 0);
      const refused: string[] = [];
      for (const name of external) {
        // No action accepts these params: only the checks before validation decide.
        const answer = await post(instance.url, name, [] as never, owner.accessToken);
        if (!answer.ok && answer.error.type === "MAINTENANCE") refused.push(name);
      }
      expect(refused).toEqual(external.filter((name) => pausesInMaintenance(ACTIONS[name])));
      await must(instance.url, "group.myPermissions", { groupId }, owner.accessToken);
      await must(instance.url, "group.auditLog", { groupId }, owner.accessToken);
      await must(instance.url, "bot.me", {}, bot.token);
    } finally {
      await set(false);
    }
  });
});

test("timings of all gateways' recent calls are merged per step", async () => {
  const { member, channel } = await createWorld(instance.url);
  const opened = await connectMany(member);
  const send = async (): Promise<void> => {
    const received = opened.map((socket) => nextEvent(socket, "message.created"));
    const message = { channelId: channel.id, content: "x", nonce: crypto.randomUUID() };
    await must(instance.url, "message.send", message, member.accessToken);
    await Promise.all(received);
  };
  await vi.waitFor(
    async () => {
      // Repeated: a step may include messages of earlier tests, which had fewer recipients.
      await send();
      const metrics = await must(instance.url, "admin.metrics", {}, admin.accessToken);
      expect(metrics).toMatchObject({ gateways: 2, silentGateways: 0 });
      const step = metrics.steps.findLast(({ messagesPerSecond }) => messagesPerSecond > 0);
      expect(step?.deliveriesPerSecond).toBeGreaterThan((step?.messagesPerSecond ?? Infinity) * 7);
      expect(step?.fanoutMs?.p100).toBeGreaterThan(0);
      expect(step?.connections).toBeGreaterThanOrEqual(opened.length);
      expect(step?.memoryBytes).toBeGreaterThan(50_000_000);
    },
    { interval: 500 },
  );
});

test("every session learns the server's version and start time", async () => {
  const { accessToken } = await createGuest(instance.url);
  const status = await must(instance.url, "server.getStatus", {}, accessToken);
  expect(status).toMatchObject({ version: expect.any(String), uptimeMs: expect.any(Number) });
  expect(await post(instance.url, "server.getStatus", {})).toMatchObject(failed("UNAUTHENTICATED"));
});
