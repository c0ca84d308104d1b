import { ACTIONS, type Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { callOf, createServices, defineService } from "./define-service.ts";
import type { NodeContext } from "./node-context.ts";

// Defining a service uses nothing else of the context.
const node = { logger: { level: "error" } } as NodeContext;
const handler = () => ({});

test("rejects an action that is not in the contract", () => {
  const service = { name: "user", actions: { "user.noSuchAction": handler } as object };
  expect(() => defineService(node, service)).toThrow("user.noSuchAction is not in the contract");
});

test.each([[undefined], [{}], [{ rule: "everybody" }]])(
  "rejects the permission %j at startup",
  (permission) => {
    const definitions = {
      ...ACTIONS,
      "user.logout": { ...ACTIONS["user.logout"], permission: permission as never },
    };
    const service = { name: "user", actions: { "user.logout": handler } };
    expect(() => defineService(node, service, definitions)).toThrow("user.logout has no permission rule");
    expect(() => defineService(node, service)).not.toThrow();
  },
);

test("a channel rule requires a channelId", () => {
  const permission = { rule: "channel", can: "view" } as const;
  const definitions = { ...ACTIONS, "user.logout": { ...ACTIONS["user.logout"], permission } };
  const service = { name: "user", actions: { "user.logout": handler } };
  expect(() => defineService(node, service, definitions)).toThrow("its params need a channelId");
});

test("a call without an actor is unauthenticated", async () => {
  const logger = { error: () => undefined };
  const service = { name: "user", actions: { "user.logout": handler } };
  const { actions } = defineService({ logger } as unknown as NodeContext, service);
  const logout = actions!["user.logout"] as { handler: (context: object) => Promise<unknown> };
  const refused = expect.objectContaining({ type: "UNAUTHENTICATED" });
  await expect(logout.handler({ meta: {}, params: {} })).rejects.toThrow(refused);
  const actor = { userId: "u", sessionId: "s", kind: "member" };
  await expect(logout.handler({ meta: { actor }, params: {} })).resolves.toEqual({});
});

test("logs a failing event handler", async () => {
  const lines: unknown[] = [];
  const logger = { error: (fields: unknown) => void lines.push(fields) };
  const err = new Error("disk failure");
  const { events } = defineService({ logger } as unknown as NodeContext, {
    name: "message",
    actions: {},
    events: { "user.profileChanged": () => Promise.reject(err) },
  });
  const { handler } = events!["user.profileChanged"] as { handler: (context: object) => Promise<void> };
  await handler({ meta: {}, params: {} });
  expect(lines).toEqual([{ err, event: "user.profileChanged" }]);
});

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
