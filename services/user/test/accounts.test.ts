import type { CustomStatus } from "@fanfare/contract";
import { hashSecret } from "@fanfare/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

const register = (username = newName(), email?: string) =>
  node.call("user.register", { username, password: PASSWORD, email });

describe("user.register", () => {
  test("creates an account and returns a token for it", async () => {
    const username = newName();
    const tokens = await register(username, `${username}@example.org`);
    expect(tokens.user).toMatchObject({ username, nickname: username, kind: "member", avatarUrl: null });
    expect(node.node.tokens.verify(tokens.accessToken)).toEqual(actorOf(tokens));
  });

  test("rejects a taken username or email address, ignoring case", async () => {
    const username = newName();
    await register(username, `${username}@example.org`);
    await expect(register(username.toUpperCase())).rejects.toMatchObject({ type: "USERNAME_TAKEN" });
    await expect(register(newName(), `${username}@EXAMPLE.org`)).rejects.toMatchObject({
      type: "EMAIL_TAKEN",
    });
  });

  test("only one of many concurrent registrations with the same name succeeds", async () => {
    const username = newName();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => register(username)));
    const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason.type);
    expect(refused).toEqual(Array.from({ length: 7 }, () => "USERNAME_TAKEN"));
  });

  test("any number of accounts can have no email address", async () => {
    await register();
    await expect(register()).resolves.toBeDefined();
  });

  test("rejects invalid params", async () => {
    await expect(node.call("user.register", { username: "a b", password: "short" })).rejects.toMatchObject({
      type: "VALIDATION_FAILED",
    });
  });

  test("stores the password only as an argon2id hash", async () => {
    const { user } = await register();
    const stored = await node.node.database.collection("users").findOne({ username: user.username });
    expect(stored?.["passwordHash"]).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/);
    expect(JSON.stringify(stored)).not.toContain(PASSWORD);
  });
});

describe("OIDC logins begun in a version with only one provider", () => {
  test("link the account to the provider in OIDC_ISSUER", async () => {
    const tokens = await register();
    const [oidcCode, verifier] = ["code of an old version", "its verifier"];
    const stored = {
      _id: hashSecret(oidcCode),
      challenge: hashSecret(verifier),
      key: "key",
      email: null,
      names: {},
      expiresAt: new Date(Date.now() + 60_000),
    };
    await node.node.database.collection<typeof stored>("oidcCodes").insertOne(stored);
    const login = { oidcCode, verifier, password: PASSWORD };
    const { user } = await node.call("user.linkOidc", login, actorOf(tokens));
    expect(user.oidcProviders).toEqual(["default"]);
  });

  test("don't fail because the gateway sends no provider", async () => {
    // This process has none.
    const calls = [
      node.call("user.startOidc", { challenge: "c", isFresh: false }),
      node.call("user.finishOidc", { query: "", flow: "f" }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ type: "OIDC_FAILED" });
  });
});

describe("user.login", () => {
  test("accepts the username in any case, and the email address", async () => {
    const username = newName();
    const { user } = await register(username, `${username}@example.org`);
    for (const name of [username, username.toUpperCase(), `${username}@Example.org`]) {
      const tokens = await node.call("user.login", { username: name, password: PASSWORD });
      expect(tokens.user).toEqual(user);
    }
  });

  test("returns the same error for a wrong password and an unknown name", async () => {
    const username = newName();
    await register(username);
    for (const params of [
      { username, password: "wrong password" },
      { username: newName(), password: PASSWORD },
      { username: "unknown@example.org", password: PASSWORD },
    ]) {
      await expect(node.call("user.login", params)).rejects.toMatchObject({ type: "WRONG_CREDENTIALS" });
    }
  });
});

describe("guests", () => {
  test("are created without a password, with or without a nickname", async () => {
    const guest = await node.call("user.createGuest", {});
    expect(guest.user).toMatchObject({ kind: "guest", username: null, email: null });
    expect(guest.user.nickname).toMatch(/^Guest \d{4}$/);
    expect((await node.call("user.createGuest", { nickname: "Ada" })).user.nickname).toBe("Ada");
    expect((await node.call("user.me", {}, actorOf(guest))).user).toEqual(guest.user);
  });

  test("keep their id when they claim an account; other sessions end", async () => {
    const guest = await node.call("user.createGuest", { nickname: "Grace" });
    const username = newName();
    const claimed = await node.call("user.claimGuest", { username, password: PASSWORD }, actorOf(guest));
    expect(claimed.user).toEqual({ ...guest.user, username, kind: "member", hasPassword: true });
    expect(claimed.sessionId).toBe(guest.sessionId);
    expect(node.node.tokens.verify(claimed.accessToken).kind).toBe("member");
    expect(node.profilesChanged.at(-1)?.user).not.toHaveProperty("email");
    await expect(node.call("user.login", { username, password: PASSWORD })).resolves.toBeDefined();
    // Its old refresh token is no longer valid.
    await expect(node.call("user.refresh", { refreshToken: guest.refreshToken })).rejects.toMatchObject({
      type: "UNAUTHENTICATED",
    });
  });

  test("can't claim twice or use a taken name, and accounts can't claim", async () => {
    const { user, ...rest } = await register();
    const again = { username: newName(), password: PASSWORD };
    await expect(node.call("user.claimGuest", again, actorOf({ user, ...rest }))).rejects.toMatchObject({
      type: "NOT_A_GUEST",
    });
    const guest = await node.call("user.createGuest", {});
    const taken = { username: user.username!, password: PASSWORD };
    await expect(node.call("user.claimGuest", taken, actorOf(guest))).rejects.toMatchObject({
      type: "USERNAME_TAKEN",
    });
    const both = await Promise.allSettled(
      [newName(), newName()].map((username) =>
        node.call("user.claimGuest", { username, password: PASSWORD }, actorOf(guest)),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("can't change a password", async () => {
    const guest = await node.call("user.createGuest", {});
    const params = { oldPassword: PASSWORD, newPassword: "another horse" };
    await expect(node.call("user.changePassword", params, actorOf(guest))).rejects.toMatchObject({
      type: "GUEST_NOT_ALLOWED",
    });
  });
});

describe("profiles", () => {
  test("other users can't see an email address", async () => {
    const username = newName();
    const { user } = await register(username, `${username}@example.org`);
    const other = actorOf(await node.call("user.createGuest", {}));
    const got = await node.call("user.get", { userId: user.id }, other);
    const many = await node.call("user.getMany", { userIds: [user.id, user.id, "0".repeat(24)] }, other);
    expect(many.users).toEqual([got.user]);
    expect(JSON.stringify([got, many])).not.toContain("example.org");
    await expect(node.call("user.get", { userId: "0".repeat(24) }, other)).rejects.toMatchObject({
      type: "USER_NOT_FOUND",
    });
  });

  test("a new nickname is published to the user's sessions and to all processes", async () => {
    const tokens = await register();
    const { user } = await node.call("user.updateProfile", { nickname: "New" }, actorOf(tokens));
    expect(user).toEqual({ ...tokens.user, nickname: "New" });
    const seenByOthers = await node
      .call("user.get", { userId: user.id }, actorOf(tokens))
      .then((answer) => answer.user);
    expect(node.published.at(-1)).toEqual({
      rooms: `user:${user.id}`,
      name: "user.updated",
      payload: { user: seenByOthers },
    });
    expect(node.profilesChanged.at(-1)).toEqual({ user: seenByOthers });
  });

  test("a bio is public, the language is private, and omitted fields stay", async () => {
    const tokens = await register();
    const me = actorOf(tokens);
    const before = node.profilesChanged.length;
    await node.call("user.updateProfile", { locale: "zh" }, me);
    expect(node.profilesChanged.length).toBe(before);
    const { user } = await node.call("user.updateProfile", { bio: " I write tests. " }, me);
    expect(user).toEqual({ ...tokens.user, locale: "zh", bio: "I write tests." });
    expect(node.profilesChanged.at(-1)?.user).toMatchObject({ bio: "I write tests." });
    expect(node.profilesChanged.at(-1)?.user).not.toHaveProperty("locale");
    await expect(node.call("user.updateProfile", {}, me)).resolves.toEqual({ user });
    for (const params of [{ bio: "x".repeat(301) }, { locale: "xx" as "en" }]) {
      await expect(node.call("user.updateProfile", params, me)).rejects.toMatchObject({
        type: "VALIDATION_FAILED",
      });
    }
  });

  test("a custom status is public until it expires or is removed", async () => {
    const tokens = await register();
    const me = actorOf(tokens);
    const set = (customStatus: CustomStatus | null) => node.call("user.updateProfile", { customStatus }, me);
    const seen = async () =>
      (await node.call("user.get", { userId: tokens.user.id }, actorOf(await register()))).user.customStatus;
    const vacation = { emoji: "🌴", text: "On vacation", expiresAt: "2099-01-01T00:00:00.000Z" };
    await set(vacation);
    expect(await seen()).toEqual(vacation);
    expect(node.profilesChanged.at(-1)?.user.customStatus).toEqual(vacation);
    await set({ emoji: null, text: " back soon ", expiresAt: null });
    expect(await seen()).toEqual({ emoji: null, text: "back soon", expiresAt: null });
    await set({ ...vacation, expiresAt: new Date(Date.now() - 1).toISOString() });
    expect(await seen()).toBeUndefined();
    await set(vacation);
    await set(null);
    expect(await seen()).toBeUndefined();
    const wrong = [
      { emoji: null, text: " ", expiresAt: null },
      { emoji: "no", text: "", expiresAt: null },
      { emoji: null, text: "x".repeat(101), expiresAt: null },
    ];
    for (const status of wrong)
      await expect(set(status)).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
  });

  test.each(["user.me", "user.logout", "user.logoutAll"] as const)("%s requires a session", async (name) => {
    await expect(node.call(name, {})).rejects.toMatchObject({ type: "UNAUTHENTICATED" });
  });
});
