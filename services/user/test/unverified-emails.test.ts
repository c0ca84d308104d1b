import { LIMITS } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseUnverifiedEmails } from "../src/email.ts";
import { createUserRepository } from "../src/user.repository.ts";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

test("an unverified address is removed after its lifetime, a verified one stays", async () => {
  const users = createUserRepository(node.node.database);
  const register = async (isVerified: boolean) => {
    const username = newName();
    const email = `${username}@example.org`;
    const tokens = await node.call("user.register", { username, password: PASSWORD, email });
    if (isVerified) await users.setVerifiedEmail(tokens.user.id, email);
    return { email, actor: actorOf(tokens) };
  };
  const [claimed, verified] = [await register(false), await register(true)];
  const emailOf = async ({ actor }: typeof claimed) => (await node.call("user.me", {}, actor)).user.email;
  const endMs = Date.now() + LIMITS.unverifiedEmailLifetimeMs;
  await releaseUnverifiedEmails(node.node, users, new Date(endMs - 60_000));
  expect(await emailOf(claimed)).toBe(claimed.email);
  await releaseUnverifiedEmails(node.node, users, new Date(endMs + 60_000));
  expect(await emailOf(claimed)).toBeNull();
  expect(await emailOf(verified)).toBe(verified.email);
});
