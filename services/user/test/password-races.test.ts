import { createServices } from "@fanfare/kernel";
import type { SessionTokens } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passwordActions } from "../src/password.ts";
import { emailActions } from "../src/email.ts";
import { createLogIn } from "../src/login.ts";
import type { UserDependencies } from "../src/user.dependencies.ts";
import { actorOf, newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

// An attacker with the old password logs in at the worst time: between the end of all sessions and the new password.

let node: UserNode;
let dependencies: UserDependencies;
beforeAll(async () => {
  node = await startUserNode();
  dependencies = otherDependencies(node);
});
afterAll(() => node.stop());

const newPassword = "another horse";
const refresh = ({ refreshToken }: SessionTokens) => node.call("user.refresh", { refreshToken });

async function account() {
  const username = newName();
  const email = `${username}@example.org`;
  const tokens = await node.call("user.register", { username, password: PASSWORD, email });
  const login = () => node.call("user.login", { username, password: PASSWORD });
  return { email, tokens, login };
}

const request = {
  access: undefined,
  services: createServices(() => Promise.reject(new Error("not used"))),
  requestId: "test",
  askedAtMs: Date.now(),
  client: null,
};

test("changing the password ends that session too", async () => {
  const { tokens, login } = await account();
  let late: SessionTokens | undefined;
  const change = passwordActions({
    ...dependencies,
    users: {
      ...dependencies.users,
      replacePasswordHash: async (...given) => {
        late = await login();
        return dependencies.users.replacePasswordHash(...given);
      },
    },
  })["user.changePassword"]!;
  const next = await change({
    ...request,
    params: { oldPassword: PASSWORD, newPassword, revokeTokens: false },
    actor: actorOf(tokens),
  });
  await expect(refresh(late!)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
  await expect(refresh(next)).resolves.toBeDefined();
});

test("resetting the password ends that session too", async () => {
  const { email, tokens, login } = await account();
  const userId = tokens.user.id;
  const token = await dependencies.oneTimeTokens.make("resetPassword", 60_000, { userId, email });
  let late: SessionTokens | undefined;
  const reset = passwordActions({
    ...dependencies,
    users: {
      ...dependencies.users,
      takeOverUnverified: async (...given) => {
        late = await login();
        return dependencies.users.takeOverUnverified(...given);
      },
    },
  })["user.resetPassword"]!;
  await reset({ ...request, params: { token, newPassword, removeOtherSignIns: false }, actor: null });
  await expect(refresh(late!)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
  await expect(refresh(tokens)).rejects.toMatchObject({ type: "SESSION_REVOKED" });
});

test("a login with a passkey that an admin removes in the meantime is rejected", async () => {
  const { tokens } = await account();
  const userId = tokens.user.id;
  const { users, sessions, sessionRepository } = dependencies;
  const passkey = { credentialId: "key", publicKey: "", counter: 0, name: "Key", createdAt: new Date() };
  const { passwordHash = "" } = (await users.find(userId))!;
  const user = (await users.addPasskey(userId, passwordHash, passkey))!;
  const open: typeof sessions.open = async (...given) => {
    await node.call("user.resetTotp", { userId });
    return sessions.open(...given);
  };
  const logIn = createLogIn(users, { ...sessions, open });
  await expect(logIn(user, null, { byPasskey: true }, passkey)).rejects.toMatchObject({
    type: "WRONG_CREDENTIALS",
  });
  expect(await sessionRepository.listLiving(userId, new Date())).toEqual([]);
});

test("a new address requested with the old password is rejected", async () => {
  const { tokens } = await account();
  const me = actorOf(tokens);
  const { accountMails, users } = dependencies;
  const ask = emailActions({
    ...dependencies,
    accountMails: {
      ...accountMails,
      sendVerification: async (...given) => {
        await node.call("user.changePassword", { oldPassword: PASSWORD, newPassword }, me);
        return accountMails.sendVerification(...given);
      },
    },
  })["user.changeEmail"]!;
  const email = `${newName()}@example.org`;
  const asked = ask({ ...request, params: { email, password: PASSWORD }, actor: me });
  await expect(asked).rejects.toMatchObject({ type: "WRONG_CREDENTIALS" });
  const { database } = node.node;
  expect(await database.collection("mailedTokens").countDocuments({ email })).toBe(0);
  // Linking a login at the provider is rejected, too.
  const before = { ...(await users.find(me.userId))!, passwordHash: "hash of the old password" };
  expect(await users.setOidcLinks(before, [{ provider: "default", key: "key" }])).toBeNull();
});
