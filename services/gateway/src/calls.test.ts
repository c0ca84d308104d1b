import type { Actor, NodeContext } from "@fanfare/kernel";
import { expect, test, vi } from "vitest";
import { MAX_CALLS_IN_FLIGHT } from "./bounds.ts";
import { Calls } from "./calls.ts";
import { createGatewayMetrics } from "./metrics.ts";

const actor: Actor = { userId: "a", sessionId: "b", kind: "member" };
const caller = { actor, address: "127.0.0.1", requestId: "1" };

function createCalls(call: () => Promise<unknown>) {
  const error = vi.fn<(fields: object, message: string) => void>();
  const registry = { registerMetric: () => {} } as unknown as NodeContext["metrics"];
  const calls = new Calls({
    call,
    rateLimitFactor: 1e6,
    metrics: createGatewayMetrics(registry, () => 0),
    logger: { error } as unknown as NodeContext["logger"],
  });
  return { calls, error };
}

test("takes a bounded number of calls at once, and more again when those are answered", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const { calls } = createCalls(() => released);
  const running = Array.from({ length: MAX_CALLS_IN_FLIGHT }, () =>
    calls.answer("socket", "user.me", {}, caller),
  );
  expect(await calls.answer("http", "user.me", {}, caller)).toMatchObject({
    ok: false,
    error: { type: "OVERLOADED", data: { retryAfterMs: expect.any(Number) } },
  });
  release({});
  const answers = await Promise.all(running);
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(await calls.answer("http", "user.me", {}, caller)).toMatchObject({ ok: true });
});

test("an error that is none of the contract's is INTERNAL, and logged with its request", async () => {
  const fault = new Error("a secret");
  const { calls, error } = createCalls(() => Promise.reject(fault));
  const answer = await calls.answer("socket", "user.me", {}, caller);
  expect(answer).toMatchObject({ ok: false, error: { type: "INTERNAL", requestId: "1" } });
  expect(JSON.stringify(answer)).not.toContain("secret");
  expect(error).toHaveBeenCalledWith(
    expect.objectContaining({ err: fault, requestId: "1" }),
    expect.any(String),
  );
});

test("nobody is called while it drains", async () => {
  const call = vi.fn<() => Promise<object>>(() => Promise.resolve({}));
  const { calls } = createCalls(call);
  await calls.drain(1000);
  expect(await calls.answer("socket", "user.me", {}, caller)).toMatchObject({
    error: { type: "UNAVAILABLE", retryable: true },
  });
  expect(call).not.toHaveBeenCalled();
});
