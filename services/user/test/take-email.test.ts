import { afterAll, beforeAll, expect, test } from "vitest";
import { takeEmail } from "../src/registration.ts";
import { newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());

test("an account keeps its unverified address if another one can't be stored with it", async () => {
  const dependencies = otherDependencies(node);
  const email = "someone@example.org";
  const { user } = await node.call("user.register", { username: newName(), password: PASSWORD, email });
  const addressOf = async () => (await dependencies.users.find(user.id))?.email;
  const fail = () => Promise.reject(new Error("not stored"));
  await expect(takeEmail(dependencies, { email }, fail)).rejects.toThrow("not stored");
  expect(await addressOf()).toBe(email);
  await takeEmail(dependencies, { email }, async () => expect(await addressOf()).toBeUndefined());
  expect(await addressOf()).toBeUndefined();
});
