import { ACTIONS, ERRORS, LIMITS, type ActionName, type WireAnswer } from "@fanfare/contract";
import { loadConfig } from "@fanfare/kernel";
import { Outbound } from "../../packages/outbound/src/outbound.ts";
import { createAccount, createGuest, createWorld, must, post, postRaw, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { io } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Vulnerabilities that other chat servers have had, each tried as an attacker would.

let instance: Instance;
let world: World;
beforeAll(async () => {
  instance = await startInstance();
  world = await createWorld(instance.url);
});
afterAll(() => instance?.stop());

const refusedWith = (answer: WireAnswer<unknown>): string => (answer.ok ? "ok" : answer.error.type);
const call = async (name: string, params: unknown, token?: string): Promise<string> =>
  refusedWith(await postRaw(instance.url, name, JSON.stringify(params), token));

describe("reading any conversation by its id", () => {
  const reads: [ActionName, (channelId: string, messageId: string) => object][] = [
    ["message.list", (channelId) => ({ channelId })],
    ["message.get", (channelId, messageId) => ({ channelId, messageId })],
    ["message.listPins", (channelId) => ({ channelId })],
    ["message.listEdits", (channelId, messageId) => ({ channelId, messageId })],
    ["message.listReactors", (channelId, messageId) => ({ channelId, messageId, emoji: "👍" })],
    ["message.search", (channelId) => ({ channelId, text: "secret" })],
    ["channel.get", (channelId) => ({ channelId })],
    ["channel.listThreads", (channelId) => ({ channelId })],
    ["command.list", (channelId) => ({ channelId })],
    ["file.getUrls", (channelId, messageId) => ({ channelId, fileIds: [messageId] })],
  ];

  test.each(reads)("%s can't read a direct channel of two other users", async (name, params) => {
    const { member, target, stranger } = world;
    const direct = { userId: target.userId };
    const { channel } = await must(instance.url, "channel.openDirect", direct, member.accessToken);
    const said = { channelId: channel.id, content: "secret", nonce: name };
    const { message } = await must(instance.url, "message.send", said, member.accessToken);
    expect(await call(name, params(channel.id, message.id), stranger.accessToken)).toBe("CHANNEL_NOT_FOUND");
  });
});

describe("a channel of another group", () => {
  async function twoGroups() {
    const { stranger, channel, message, group } = world;
    const mine = await must(instance.url, "group.create", { name: "Mine" }, stranger.accessToken);
    return { token: stranger.accessToken, mine, own: mine.channels[0]!, channel, message, group };
  }

  test("can't be written to by also naming one's own group", async () => {
    const { token, mine, channel } = await twoGroups();
    const params = { groupId: mine.group.id, channelId: channel.id, content: "x", nonce: "n" };
    expect(await call("message.send", params, token)).toBe("CHANNEL_NOT_FOUND");
  });

  test("can't be the source of a reply, a thread, a pin or a reaction in one's own channel", async () => {
    const { token, own, message } = await twoGroups();
    const foreign = { channelId: own.id, messageId: message.id };
    expect(await call("channel.openThread", foreign, token)).toBe("MESSAGE_NOT_FOUND");
    expect(await call("message.pin", foreign, token)).toBe("MESSAGE_NOT_FOUND");
    expect(await call("message.react", { ...foreign, emoji: "👍" }, token)).toBe("MESSAGE_NOT_FOUND");
    expect(await call("message.listEdits", foreign, token)).toBe("MESSAGE_NOT_FOUND");
    const reply = { channelId: own.id, content: "x", nonce: "r", replyTo: message.id };
    expect(await call("message.send", reply, token)).not.toBe("ok");
  });

  test("can't be moved or put into a section by a manager of another group", async () => {
    const { token, mine, own, channel } = await twoGroups();
    const place = { position: 0, sectionId: null };
    const groupId = mine.group.id;
    const foreign = { groupId, places: [{ ...place, channelId: channel.id }] };
    expect(await call("channel.reorder", foreign, token)).toBe("CHANNEL_NOT_FOUND");
    const into = { groupId, places: [{ position: 0, channelId: own.id, sectionId: channel.id }] };
    expect(await call("channel.reorder", into, token)).toBe("CHANNEL_NOT_FOUND");
    const create = { groupId, name: "x", sectionId: channel.id };
    expect(await call("channel.create", create, token)).toBe("CHANNEL_NOT_FOUND");
  });

  test("has roles, invites, bots and webhooks that another group's owner can't touch", async () => {
    const { token, mine, group, own, channel } = await twoGroups();
    const { owner, inviteCode, target } = world;
    const as = owner.accessToken;
    const { role } = await must(instance.url, "role.create", { groupId: group.id, name: "R" }, as);
    const made = { groupId: group.id, name: "Bot", scopes: ["messages.write" as const] };
    const { bot } = await must(instance.url, "bot.create", made, as);
    const hook = { channelId: channel.id, name: "Hook" };
    const { webhook } = await must(instance.url, "webhook.create", hook, as);
    const groupId = mine.group.id;
    const tries: [string, object][] = [
      ["role.update", { groupId, roleId: role.id, permissions: 1 }],
      ["role.delete", { groupId, roleId: role.id }],
      ["role.assign", { groupId, roleId: role.id, userId: world.stranger.userId }],
      ["invite.revoke", { groupId, code: inviteCode }],
      ["bot.rotateToken", { groupId, botId: bot.id }],
      ["bot.delete", { groupId, botId: bot.id }],
      ["webhook.update", { channelId: own.id, webhookId: webhook.id, name: "x" }],
      ["webhook.delete", { channelId: own.id, webhookId: webhook.id }],
      ["group.mute", { groupId, userId: target.userId, durationMs: 1000 }],
      ["group.kick", { groupId, userId: target.userId }],
    ];
    const answers = await Promise.all(tries.map(([name, params]) => call(name, params, token)));
    const expected = [
      "ROLE",
      "ROLE",
      "ROLE",
      "INVITE",
      "BOT",
      "BOT",
      "WEBHOOK",
      "WEBHOOK",
      "MEMBER",
      "MEMBER",
    ];
    expect(answers).toEqual(expected.map((what) => `${what}_NOT_FOUND`));
  });
});

describe("claiming another guest's account", () => {
  test("ignores user IDs in the parameters: only the bearer of the token becomes an account", async () => {
    const [guest, victim] = [await createGuest(instance.url), await createGuest(instance.url)];
    const params = {
      username: `claimer${process.pid}`,
      password: "correct horse",
      userId: victim.userId,
      sessionId: victim.sessionId,
    };
    await call("user.claimGuest", params, guest.accessToken);
    const { user } = await must(instance.url, "user.get", { userId: victim.userId }, victim.accessToken);
    expect(user.kind).toBe("guest");
  });
});

const internal = Object.entries(ACTIONS)
  .filter(([, { permission }]) => permission.rule === "internal")
  .map(([name]) => name);

describe("internal actions", () => {
  const others = ["$node.list", "$node.actions", "file.storage.put", "mail.send", "config.get"];

  test("can't be called over HTTP, not even by the owner", async () => {
    expect(internal.length).toBeGreaterThan(30);
    const { accessToken } = world.owner;
    const answers = await Promise.all([...internal, ...others].map((name) => call(name, {}, accessToken)));
    expect(new Set(answers)).toEqual(new Set(["UNKNOWN_ACTION"]));
  });

  test("can't be called over the socket, not even by the owner", async () => {
    const token = world.owner.accessToken;
    const socket = io(instance.url, { transports: ["websocket"], auth: { token }, forceNew: true });
    try {
      const answers = await Promise.all(
        [...internal, ...others].map(async (name) =>
          refusedWith((await socket.timeout(10_000).emitWithAck(name, {})) as WireAnswer<unknown>),
        ),
      );
      expect(new Set(answers)).toEqual(new Set(["UNKNOWN_ACTION"]));
    } finally {
      socket.disconnect();
    }
  });
});

describe("storage actions", () => {
  test("are internal: clients can't claim, release or read other users' files through them", async () => {
    const ofFiles = internal.filter((name) => name.startsWith("file."));
    expect(ofFiles).toEqual(expect.arrayContaining(["file.claim", "file.release"]));
    const { accessToken } = world.owner;
    const answers = await Promise.all(ofFiles.map((name) => call(name, {}, accessToken)));
    expect(new Set(answers)).toEqual(new Set(["UNKNOWN_ACTION"]));
  });
});

describe("another user's email address", () => {
  test("is in no response to other users", async () => {
    const { url } = instance;
    const email = `hidden-${process.pid}@example.org`;
    const victim = await createAccount(url);
    const change = { email, password: "correct horse" };
    await must(url, "user.changeEmail", change, victim.accessToken);
    const other = await createAccount(url);
    await must(url, "invite.accept", { code: world.inviteCode }, victim.accessToken);
    await must(url, "invite.accept", { code: world.inviteCode }, other.accessToken);
    const token = other.accessToken;
    const groupId = world.group.id;
    const answers = await Promise.all([
      post(url, "user.get", { userId: victim.userId }, token),
      post(url, "user.getMany", { userIds: [victim.userId] }, token),
      post(url, "user.search", { query: victim.username }, token),
      post(url, "group.getMember", { groupId, userId: victim.userId }, token),
      post(url, "group.listMembers", { groupId }, token),
      post(url, "group.auditLog", { groupId }, world.owner.accessToken),
    ]);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(JSON.stringify(answers)).not.toContain(email);
    expect(JSON.stringify(answers)).not.toMatch(/passwordHash|totp|tokenHash|emailLower/i);
  });

  test("is not revealed by the response to a password reset", async () => {
    const email = `unknown-${process.pid}@example.org`;
    const known = `known-${process.pid}@example.org`;
    const account = await createAccount(instance.url);
    const change = { email: known, password: "correct horse" };
    await must(instance.url, "user.changeEmail", change, account.accessToken);
    const answers = await Promise.all(
      [email, known].map((one) => post(instance.url, "user.requestPasswordReset", { email: one })),
    );
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe("a kicked member", () => {
  test("receives, reads, finds and edits nothing more", async () => {
    const { url } = instance;
    const { owner, target, group, channel, message } = await createWorld(url);
    const socket = io(url, {
      transports: ["websocket"],
      auth: { token: target.accessToken },
      forceNew: true,
    });
    const received: string[] = [];
    socket.onAny((name: string) => received.push(name));
    await new Promise<void>((resolve) => socket.once("ready", () => resolve()));
    await must(url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
    received.length = 0;
    const text = { channelId: channel.id, content: `<@${target.userId}> still there?`, nonce: "n" };
    await must(url, "message.send", text, owner.accessToken);
    const token = target.accessToken;
    expect(await call("message.get", { channelId: channel.id, messageId: message.id }, token)).toBe(
      "CHANNEL_NOT_FOUND",
    );
    expect(
      await call("message.edit", { channelId: channel.id, messageId: message.id, content: "x" }, token),
    ).toBe("CHANNEL_NOT_FOUND");
    expect(await call("message.search", { groupId: group.id, text: "still" }, token)).toBe("GROUP_NOT_FOUND");
    const inbox = await must(url, "inbox.list", {}, token);
    expect(JSON.stringify(inbox)).not.toContain("still there");
    expect(received.filter((name) => name.startsWith("message."))).toEqual([]);
    socket.disconnect();
  });
});

describe("the token secret", () => {
  test("has no default: production doesn't start without one, nor with a short one", () => {
    const production = { NODE_ENV: "production", DATA_DIR: "/nowhere" };
    expect(() => loadConfig(production)).toThrow("TOKEN_SECRET");
    expect(() => loadConfig({ ...production, TOKEN_SECRET: "secret" })).toThrow("TOKEN_SECRET");
  });

  test("is different in every development instance", async () => {
    const other = await startInstance();
    try {
      const { accessToken } = await createGuest(other.url);
      expect(await call("user.me", {}, accessToken)).toBe("UNAUTHENTICATED");
    } finally {
      await other.stop();
    }
  });

  test("can't be bypassed with an unsigned token or another algorithm", async () => {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
    const payload = world.owner.accessToken.split(".")[1]!;
    for (const alg of ["none", "None", "HS512", "RS256"]) {
      expect(await call("user.me", {}, `${encode({ alg, typ: "JWT" })}.${payload}.`)).toBe("UNAUTHENTICATED");
    }
  });
});

describe("rate limits", () => {
  test("exist for every action", () => {
    const limits = Object.values(ACTIONS).map(({ rateLimit }) => rateLimit.points / rateLimit.durationMs);
    expect(limits.every((perMs) => perMs > 0 && perMs <= 1)).toBe(true);
  });

  test("limit password guesses per account, under either of its names and from any number of addresses", async () => {
    const strict = await startInstance({ RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "true" });
    try {
      const suffix = Date.now().toString(36);
      const [name, unknownName] = [`guessed${suffix}`, `unknown${suffix}`];
      const [email, noEmail] = [`${name}@example.org`, `${unknownName}@example.org`];
      const password = "correct horse";
      await must(strict.url, "user.register", { username: name, email, password });
      let addresses = 0;
      const guess = async (username: string, tried = "wrong horse"): Promise<string> => {
        const address = `198.51.100.${(addresses += 1)}`;
        const response = await fetch(`${strict.url}/api/user.login`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": address },
          body: JSON.stringify({ username, password: tried }),
        });
        return refusedWith((await response.json()) as WireAnswer<unknown>);
      };
      const guessAll = async (username: string): Promise<string[]> => {
        const answers: string[] = [];
        for (let index = 0; index < LIMITS.loginsPerName + 5; index += 1)
          answers.push(await guess(index % 2 === 0 ? username : username.toUpperCase()));
        return answers;
      };
      const expected = Array.from({ length: LIMITS.loginsPerName + 5 }, (_, index) =>
        index < LIMITS.loginsPerName ? "WRONG_CREDENTIALS" : "RATE_LIMITED",
      );
      // Existing and unknown names must get the same answers, or attackers could find out which accounts exist.
      expect(await guessAll(unknownName)).toEqual(expected);
      expect(await guessAll(name)).toEqual(expected);
      expect(await guess(name, password)).toBe("RATE_LIMITED");
      expect(await guessAll(noEmail)).toEqual(expected);
      expect(await guessAll(email)).toEqual(expected);
      expect(await guess(email, password)).toBe("RATE_LIMITED");
      // Both names together stay below the limit that SECURITY.md promises.
      expect(2 * LIMITS.loginsPerName).toBeLessThanOrEqual(50);
    } finally {
      await strict.stop();
    }
  });

  test("don't lock out a browser that has logged in before because of others' guesses", async () => {
    const strict = await startInstance({ RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "true" });
    try {
      const password = "correct horse";
      const logIn = async (username: string, tried: string, address: string, cookie = "") => {
        const response = await fetch(`${strict.url}/api/user.login`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": address, cookie },
          body: JSON.stringify({ username, password: tried }),
        });
        const answer = (await response.json()) as WireAnswer<unknown>;
        const [setCookie] = response.headers.getSetCookie();
        return { outcome: answer.ok ? "ok" : answer.error.type, setCookie };
      };
      for (const username of ["owner", "attacker"])
        await must(strict.url, "user.register", { username, password });
      const { setCookie } = await logIn("owner", password, "198.51.100.1");
      expect(setCookie).toMatch(/; Path=\/api\/user.login; HttpOnly; SameSite=Strict/);
      const [own] = setCookie!.split(";");
      const [others] = (await logIn("attacker", password, "198.51.100.2")).setCookie!.split(";");
      const guess = (index: number, cookie?: string) =>
        logIn("Owner", "wrong horse", `203.0.113.${index}`, cookie);
      for (let index = 0; index < LIMITS.loginsPerName; index += 1) await guess(index, others);
      const elsewhere = await logIn("owner", password, "198.51.100.3", others);
      expect(elsewhere).toEqual({ outcome: "RATE_LIMITED", setCookie: undefined });
      expect((await logIn("owner", password, "198.51.100.4", `${own!}x`)).outcome).toBe("RATE_LIMITED");
      expect((await logIn("owner", password, "198.51.100.5", own)).outcome).toBe("ok");
      // The cookie allows no more guesses than an address does.
      for (let index = 0; index < LIMITS.loginsPerNameAndAddress; index += 1) await guess(100 + index, own);
      expect((await logIn("owner", password, "198.51.100.6", own)).outcome).toBe("RATE_LIMITED");
    } finally {
      await strict.stop();
    }
  });

  test("can't be bypassed with a third spelling of an account's name", async () => {
    const account = await createAccount(instance.url);
    const password = "correct horse";
    for (const way of [` ${account.username}`, `${account.username} `, `${account.username}\u200b`])
      expect(await call("user.login", { username: way, password })).toBe("WRONG_CREDENTIALS");
  });
});

describe("expressions from users in queries", () => {
  const evil = ["(a+)+$", ".*", "^", "\\", "[", "$where", "a|b"];

  test.each(evil)("%s is treated as plain text in a user search", async (query) => {
    const { accessToken } = await createAccount(instance.url);
    const { users } = await must(instance.url, "user.search", { query: query.padEnd(2, ".") }, accessToken);
    expect(users).toEqual([]);
  });

  test.each([{ $ne: null }, { $gt: "" }, { $regex: ".*" }, { $where: "1" }, ["a"]])(
    "%j is rejected as a name and as an ID",
    async (operator) => {
      const { accessToken } = world.member;
      const answers = await Promise.all([
        call("user.login", { username: operator, password: "x".repeat(8) }),
        call("user.refresh", { refreshToken: operator }),
        call("user.resetPassword", { token: operator, newPassword: "correct horse" }),
        call("invite.preview", { code: operator }),
        call("message.list", { channelId: operator }, accessToken),
        call("user.get", { userId: operator }, accessToken),
        call("channel.sync", { cursors: [{ channelId: operator, afterRev: 0 }] }, accessToken),
      ]);
      expect(new Set(answers)).toEqual(new Set(["VALIDATION_FAILED"]));
    },
  );
});

describe("server-side request forgery (SSRF)", () => {
  const inside = [
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0/",
  ];

  test.each(inside)("%s can't be reached", async (url) => {
    const outbound = new Outbound({ userAgent: "test" });
    const request = outbound.request({ url, timeoutMs: 3000, maxBytes: 100 });
    await expect(request).rejects.toMatchObject({ code: "FORBIDDEN_ADDRESS" });
    await outbound.close();
  });

  test.each(["file:///etc/passwd", "gopher://example.org/", "http://user:pass@example.org/"])(
    "%s is rejected",
    async (url) => {
      const outbound = new Outbound({ userAgent: "test" });
      const request = outbound.request({ url, timeoutMs: 3000, maxBytes: 100 });
      await expect(request).rejects.toMatchObject({ code: "BAD_URL" });
      await outbound.close();
    },
  );
});

describe("oversized input and errors", () => {
  test("a message that is too long is rejected", async () => {
    const { channel, member } = world;
    const content = "x".repeat(LIMITS.messageMaxChars + 1);
    const params = { channelId: channel.id, content, nonce: "n" };
    expect(await call("message.send", params, member.accessToken)).toBe("VALIDATION_FAILED");
  });

  test("error messages reveal no internals", () => {
    for (const { message } of Object.values(ERRORS)) expect(message).not.toMatch(/Mongo|stack|\.ts/);
  });
});
