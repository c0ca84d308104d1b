import type { Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { callOf, createServices } from "./services.ts";

const services = createServices((async (name: string, params: unknown) => ({
  name,
  params,
})) as unknown as Call);

test("every action of the contract is a detachable method", async () => {
  const { get } = services.user;
  expect(await get({ userId: "a" })).toEqual({ name: "user.get", params: { userId: "a" } });
  expect(await callOf(services)("message.count", {})).toEqual({ name: "message.count", params: {} });
});

test("actions outside the contract are undefined, so a service is not thenable", async () => {
  const { user } = services as unknown as { user: Record<string, unknown> };
  expect(user["constructor"]).toBeUndefined();
  expect(await Promise.resolve(user)).toBe(user);
  expect(await Promise.resolve(services)).toBe(services);
});
