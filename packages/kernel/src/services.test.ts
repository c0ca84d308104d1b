import type { Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { callOf, createServices } from "./services.ts";

const services = createServices((async (name: string, params: unknown) => ({
  name,
  params,
})) as unknown as Call);

test("every action of the contract is a method, which can be passed on by itself", async () => {
  const { get } = services.user;
  expect(await get({ userId: "a" })).toEqual({ name: "user.get", params: { userId: "a" } });
  expect(await callOf(services)("message.count", {})).toEqual({ name: "message.count", params: {} });
});

test("what is not in the contract is not there, so that a service is no promise either", async () => {
  const { user } = services as unknown as { user: Record<string, unknown> };
  expect(user["constructor"]).toBeUndefined();
  expect(await Promise.resolve(user)).toBe(user);
  expect(await Promise.resolve(services)).toBe(services);
});
