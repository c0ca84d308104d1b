import { hashSecret } from "@fanfare/kernel";
import { Types } from "mongoose";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { actorOf, newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

const PRODUCTION = {
  NODE_ENV: "production",
  TOKEN_SECRET: "only-for-tests-only-for-tests-only-for-tests",
  GUESTS: "on",
};
let node: UserNode;
beforeEach(async () => {
  node = await startUserNode(PRODUCTION);
});
afterEach(async () => {
  vi.useRealTimers();
  await node.stop();
});

const register = () => node.call("user.register", { username: newName(), password: PASSWORD });
const state = async () => (await node.call("user.adminState", {})).state;
const makeToken = async () => (await node.call("user.createSetupToken", {})).token;
const setUp = (token: string, username = newName()) =>
  node.call("user.setUpAdmin", { token, username, password: PASSWORD });
const listAdmins = async () =>
  (await node.node.database.collection("users").find({ admin: true }).toArray()).map(({ username }) =>
    String(username),
  );

async function restart(env: Record<string, string>): Promise<void> {
  await node.stop();
  node = await startUserNode({ ...PRODUCTION, ...env });
}

test("in production the first account is not an admin, however it is created", async () => {
  expect(await state()).toBe("none");
  const guest = await node.call("user.createGuest", {});
  const claim = { username: newName(), password: PASSWORD };
  expect((await node.call("user.claimGuest", claim, actorOf(guest))).user.admin).toBe(false);
  expect((await register()).user.admin).toBe(false);
  expect(await listAdmins()).toEqual([]);
  expect(await state()).toBe("none");
});

test("a setup link creates the admin account once", async () => {
  const token = await makeToken();
  const tokens = await setUp(token);
  expect(tokens.user.admin).toBe(true);
  expect(node.node.tokens.verify(tokens.accessToken)).toMatchObject({ admin: true });
  expect(await state()).toBe("exists");
  await expect(setUp(token)).rejects.toMatchObject({ type: "INVALID_LINK" });
  expect((await register()).user.admin).toBe(false);
});

test("of concurrent uses, of one link and of those of several processes, exactly one succeeds", async () => {
  const other = otherDependencies(node);
  const links = [await makeToken(), await makeToken(), await other.oneTimeTokens.make("setUp", 60_000, {})];
  const person = await register();
  const results = await Promise.allSettled([
    ...links.flatMap((token) => [setUp(token), setUp(token)]),
    ...links.map((token) => node.call("user.becomeAdmin", { token }, actorOf(person))),
  ]);
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  expect(reasons).toHaveLength(results.length - 1);
  for (const reason of reasons) expect(reason).toMatchObject({ type: "INVALID_LINK" });
  expect(await listAdmins()).toHaveLength(1);
});

test("the link printed by an earlier start works too", async () => {
  const first = await makeToken();
  await makeToken();
  expect((await setUp(first)).user.admin).toBe(true);
});

test("a logged-in account can become the admin, and its other sessions end", async () => {
  const person = await register();
  const { username } = person.user;
  const elsewhere = await node.call("user.login", { username: username!, password: PASSWORD });
  const token = await makeToken();
  const tokens = await node.call("user.becomeAdmin", { token }, actorOf(person));
  expect(tokens).toMatchObject({ sessionId: person.sessionId, user: { admin: true } });
  expect(node.node.tokens.verify(tokens.accessToken)).toMatchObject({ admin: true });
  expect(node.sessionsEnded.flatMap(({ sessionIds }) => sessionIds)).toEqual([elsewhere.sessionId]);
  await expect(node.call("user.becomeAdmin", { token }, actorOf(person))).rejects.toMatchObject({
    type: "INVALID_LINK",
  });
});

test("a use that fails leaves the link valid", async () => {
  const { user } = await register();
  const token = await makeToken();
  await expect(setUp(token, user.username!)).rejects.toMatchObject({ type: "USERNAME_TAKEN" });
  const insert = vi
    .spyOn(Object.getPrototypeOf(node.node.database.collection("users")), "insertOne")
    .mockRejectedValueOnce(new Error("the database is unavailable"));
  await expect(setUp(token)).rejects.toMatchObject({ type: "INTERNAL" });
  insert.mockRestore();
  expect((await setUp(token)).user.admin).toBe(true);
});

test("a process that dies while using the link doesn't use it up", async () => {
  const admins = node.node.database.collection<{ _id: string }>("admins");
  const left = { userIds: [new Types.ObjectId()], claimedAt: new Date(Date.now() - 60_000) };
  await admins.insertOne({ _id: "admins", ...left });
  expect(await state()).toBe("none");
  expect((await setUp(await makeToken())).user.admin).toBe(true);
});

test("an expired or made-up link, or one used after `create-admin`, is rejected", async () => {
  await expect(setUp("made-up")).rejects.toMatchObject({ type: "INVALID_LINK" });
  const token = await makeToken();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60 * 1000 + 1 });
  await expect(setUp(token)).rejects.toMatchObject({ type: "INVALID_LINK" });
  vi.useRealTimers();
  const { user } = await node.call("user.createAdmin", { username: newName(), password: PASSWORD });
  await expect(setUp(token)).rejects.toMatchObject({ type: "INVALID_LINK" });
  expect(await listAdmins()).toEqual([user.username]);
});

test("stores only the hash of a token", async () => {
  const token = await makeToken();
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  const stored = await node.node.database.collection("mailedTokens").find({}).toArray();
  expect(stored).toMatchObject([{ _id: hashSecret(token) }]);
  expect(JSON.stringify(stored)).not.toContain(token);
});

test("works when registration is closed or restricted to email domains", async () => {
  await restart({
    REGISTRATION: "closed",
    MAIL_DOMAINS: "example.org",
    PUBLIC_URL: "https://chat.example.org",
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "chat@example.org",
  });
  await expect(register()).rejects.toMatchObject({ type: "REGISTRATION_CLOSED" });
  expect((await setUp(await makeToken())).user.admin).toBe(true);
});

test("with single sign-on only, it can't create an account with a password, but can make a logged-in account the admin", async () => {
  const person = await register();
  const token = await makeToken();
  const policy = vi.spyOn(node.node.policy, "get");
  policy.mockResolvedValue({ ...(await node.node.policy.get()), oidcOnly: true });
  await expect(setUp(token)).rejects.toMatchObject({ type: "OIDC_REQUIRED" });
  expect((await node.call("user.becomeAdmin", { token }, actorOf(person))).user.admin).toBe(true);
});
