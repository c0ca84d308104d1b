import { createHash, randomBytes } from "node:crypto";
import type { SessionTokens } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

/** All ways to set a password for an account or guest with this name. */
const WAYS = {
  "user.register": (username: string, password: string) => node.call("user.register", { username, password }),
  "user.createAdmin": (username: string, password: string) =>
    node.call("user.createAdmin", { username, password }),
  "user.claimGuest": async (username: string, password: string) => {
    const guest = await node.call("user.createGuest", {});
    return node.call("user.claimGuest", { username, password }, actorOf(guest));
  },
  "user.changePassword": async (username: string, newPassword: string) => {
    const account = await register(username);
    const params = { oldPassword: PASSWORD, newPassword };
    return node.call("user.changePassword", params, actorOf(account));
  },
  "user.resetPassword": async (username: string, newPassword: string) => {
    const token = await resetTokenOf(await register(username), `${username}@example.org`);
    return node.call("user.resetPassword", { token, newPassword });
  },
};

test.each(Object.entries(WAYS))("%s rejects weak passwords", async (_, set) => {
  const weak = (reason: string) => ({ type: "WEAK_PASSWORD", data: { reason } });
  await expect(set(newName(), "Password1")).rejects.toMatchObject(weak("common"));
  const username = newName();
  await expect(set(username, `${username.toUpperCase()}!`)).rejects.toMatchObject(weak("personal"));
  await expect(set(newName(), "another horse")).resolves.toBeDefined();
});

test("a reset link stays valid after a rejected password", async () => {
  const username = newName();
  const token = await resetTokenOf(await register(username), `${username}@example.org`);
  const reset = (newPassword: string) => node.call("user.resetPassword", { token, newPassword });
  await expect(reset("password")).rejects.toMatchObject({ type: "WEAK_PASSWORD" });
  await expect(reset("another horse")).resolves.toMatchObject({ username });
});

const register = (username: string) =>
  node.call("user.register", { username, password: PASSWORD, email: `${username}@example.org` });

async function resetTokenOf({ user }: SessionTokens, email: string): Promise<string> {
  const token = randomBytes(16).toString("hex");
  await node.node.database.collection<{ _id: string }>("mailedTokens").insertOne({
    _id: createHash("sha256").update(token).digest("base64url"),
    userId: new Types.ObjectId(user.id),
    purpose: "resetPassword",
    email,
    expiresAt: new Date(Date.now() + 60_000),
  } as never);
  return token;
}
