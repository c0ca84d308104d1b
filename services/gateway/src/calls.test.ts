import { actionDefinition, LIMITS, type ActionName } from "@fanfare/contract";
import {
  createLogger,
  createRateLimits,
  inRequestUntraced,
  serviceError,
  type Actor,
  type NodeContext,
} from "@fanfare/kernel";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ADDRESS_RATE_LIMIT, MAX_CALLS_IN_FLIGHT, MAX_HEAVY_READS_PER_USER } from "./constants.ts";
import { Calls } from "./calls.ts";
import { createGatewayMetrics } from "./metrics.ts";

const actor: Actor = { userId: "a", sessionId: "b", kind: "member" };
const caller = { actor, address: "127.0.0.1", requestId: "1" };

function createCalls(call: () => Promise<unknown>, rateLimitFactor = 1e6) {
  const error = vi.fn<(fields: object, message: string) => void>();
  const registry = { registerMetric: () => {} } as unknown as NodeContext["metrics"];
  const calls = new Calls({
    call,
    limits: createRateLimits({ counters: null, logger: createLogger("silent"), factor: rateLimitFactor }),
    metrics: createGatewayMetrics(registry, () => 0),
    logger: { error } as unknown as NodeContext["logger"],
    inRequest: inRequestUntraced,
    paused: () => null,
    assertSecondFactor: () => undefined,
    rateLimitFactor,
  });
  return { calls, error };
}

test("accepts a limited number of concurrent calls, and more once those have completed", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const { calls } = createCalls(() => released);
  const running = Array.from({ length: MAX_CALLS_IN_FLIGHT }, (_, i) => {
    const from = { ...caller, actor: { ...actor, userId: `user ${i}` } };
    return calls.answer("socket", "user.me", {}, from);
  });
  const refused = (await Promise.all(running.slice(MAX_CALLS_IN_FLIGHT * 0.75))).every(({ ok }) => !ok);
  expect([refused, calls.inFlight]).toEqual([true, MAX_CALLS_IN_FLIGHT * 0.75]);
  expect(await calls.answer("http", "user.me", {}, caller)).toMatchObject({
    ok: false,
    error: { type: "OVERLOADED", data: { retryAfterMs: expect.any(Number) } },
  });
  release({});
  const answers = await Promise.all(running.slice(0, MAX_CALLS_IN_FLIGHT * 0.75));
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(await calls.answer("http", "user.me", {}, caller)).toMatchObject({ ok: true });
});

test("a call that timed out counts until its work has ended", async () => {
  vi.useFakeTimers();
  try {
    const { promise: released, resolve: release } = Promise.withResolvers<object>();
    const { calls } = createCalls(() => released);
    const answer = calls.answer("socket", "user.me", {}, caller);
    await vi.advanceTimersByTimeAsync(LIMITS.writeTimeoutMs);
    expect(await answer).toMatchObject({ ok: false, error: { type: "UNAVAILABLE", retryable: true } });
    expect(calls.inFlight).toBe(1);
    release({});
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.inFlight).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("work that follows a call counts as in progress, and is not rejected", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const { calls } = createCalls(() => released);
  const ends = Array.from({ length: MAX_CALLS_IN_FLIGHT }, () => calls.follow(() => released));
  expect(calls.inFlight).toBe(MAX_CALLS_IN_FLIGHT);
  release({});
  await Promise.all(ends);
  expect(calls.inFlight).toBe(0);
});

test("calls of a full channel are rejected at the gateway for a moment; other channels and reads are not", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const call = vi.fn<() => Promise<object>>(() =>
    Promise.reject(serviceError("OVERLOADED", { retryAfterMs: 1000 })),
  );
  const { calls } = createCalls(call);
  const [full, other] = ["1".repeat(24), "2".repeat(24)];
  const send = (channelId: string) =>
    calls.answer("socket", "message.send", { channelId, content: "x", nonce: "n" }, caller);
  const overloaded = { ok: false, error: { type: "OVERLOADED", data: { retryAfterMs: expect.any(Number) } } };
  expect(await send(full)).toMatchObject(overloaded);
  expect(await send(full)).toMatchObject(overloaded);
  expect(call).toHaveBeenCalledTimes(1);
  await send(other);
  await calls.answer("socket", "message.list", { channelId: full }, caller);
  expect(call).toHaveBeenCalledTimes(3);
});

test("an unexpected error becomes INTERNAL, and is logged with its request id", async () => {
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

test("rejects all calls while draining", async () => {
  const call = vi.fn<() => Promise<object>>(() => Promise.resolve({}));
  const { calls } = createCalls(call);
  await calls.drain(1000);
  expect(await calls.answer("socket", "user.me", {}, caller)).toMatchObject({
    error: { type: "UNAVAILABLE", retryable: true },
  });
  expect(call).not.toHaveBeenCalled();
});

describe("many users of one address don't multiply the limits", () => {
  const { calls } = createCalls(() => Promise.resolve({}), 1);
  let users = 0;
  const asNewUser = (name: string, params: object, address: string) =>
    calls.answer("http", name, params, {
      actor: { ...actor, userId: `user ${users++}` },
      address,
      requestId: "1",
    });
  const outcomes = async (answers: Iterable<ReturnType<typeof asNewUser>>): Promise<string[]> =>
    (await Promise.all(answers)).map((answer) => (answer.ok ? "ok" : answer.error.type));

  test.each<[string, object]>([
    ["user.claimGuest", { username: "somebody", password: "a good long password" }],
    ["user.changePassword", { oldPassword: "the old one", newPassword: "a good long password" }],
  ])("the password hashes of %s", async (name, params) => {
    const { points } = actionDefinition(name as ActionName).rateLimit;
    const attempts = Array.from({ length: points + 1 }, () => asNewUser(name, params, "192.0.2.1"));
    expect(await outcomes(attempts)).toEqual([...Array<string>(points).fill("ok"), "RATE_LIMITED"]);
    expect(await outcomes([asNewUser(name, params, "192.0.2.2")])).toEqual(["ok"]);
  });

  test("calls of any kind", async () => {
    const { points } = ADDRESS_RATE_LIMIT;
    const attempts = Array.from({ length: points + 1 }, () => asNewUser("user.me", {}, "192.0.2.3"));
    expect((await outcomes(attempts)).indexOf("RATE_LIMITED")).toBe(points);
    expect(await outcomes([asNewUser("user.me", {}, "192.0.2.4")])).toEqual(["ok"]);
  });
});

test("unknown actions count toward the limit of their address", async () => {
  const { calls } = createCalls(() => Promise.resolve({}), 1);
  const outcome = async (address: string) => {
    const answer = await calls.answer("socket", "no.such", {}, { actor: null, address, requestId: "1" });
    return answer.ok ? "ok" : answer.error.type;
  };
  for (let n = 0; n < ADDRESS_RATE_LIMIT.points; n++) await outcome("192.0.2.5");
  expect(await outcome("192.0.2.5")).toBe("RATE_LIMITED");
  expect(await outcome("192.0.2.6")).toBe("UNKNOWN_ACTION");
});

describe("reads are limited by their cost", () => {
  const channelId = "c".repeat(24);
  const read = (calls: Calls, more: object = {}) =>
    calls.answer("socket", "message.list", { channelId }, { ...caller, ...more });

  test("large responses use up the budget of a user long before the number of calls does", async () => {
    const data = { messages: ["x".repeat(1024 * 1024)] };
    const { calls } = createCalls(() => Promise.resolve(data), 1);
    const { points } = actionDefinition("message.list").rateLimit;
    let allowed = 0;
    while ((await read(calls)).ok) allowed += 1;
    expect(allowed).toBeLessThan(points / 2);
    expect(await read(calls)).toMatchObject({
      error: { type: "RATE_LIMITED", data: { retryAfterMs: expect.any(Number) } },
    });
    const other = { actor: { ...actor, userId: "other" } };
    expect(await read(calls, other)).toMatchObject({ ok: true });
    // Writes don't use the read budget.
    const message = { channelId, content: "x", nonce: "n" };
    expect(await calls.answer("socket", "message.send", message, caller)).toMatchObject({ ok: true });
  });

  test("only a few heavy reads of a user run concurrently, and those of a client that stopped reading are rejected", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<object>();
    const call = vi.fn<() => Promise<object>>(() => released);
    const { calls } = createCalls(call, 1);
    const first = Array.from({ length: MAX_HEAVY_READS_PER_USER }, () => read(calls));
    const later = read(calls);
    const unread = read(calls, { isSlow: () => true });
    await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(MAX_HEAVY_READS_PER_USER));
    release({});
    expect(await Promise.all([...first, later])).toEqual(
      Array.from({ length: MAX_HEAVY_READS_PER_USER + 1 }, () => ({ ok: true, data: {} })),
    );
    expect(await unread).toMatchObject({ error: { type: "OVERLOADED" } });
  });
});

test("guesses at one account from many addresses are limited together", async () => {
  const { calls } = createCalls(() => Promise.reject(serviceError("WRONG_CREDENTIALS")), 1);
  const { points } = actionDefinition("user.login").rateLimit.perValueOf!;
  const wrong = { error: { type: "WRONG_CREDENTIALS" } };
  const guess = (username: string, address: number) =>
    calls.answer(
      "http",
      "user.login",
      { username, password: "guess" },
      {
        actor: null,
        address: `192.0.2.${address}`,
        requestId: "1",
      },
    );
  for (let n = 0; n < points; n++)
    expect(await guess(n % 2 === 0 ? "Victim" : "victim", n)).toMatchObject(wrong);
  expect(await guess("victim", points)).toMatchObject({ error: { type: "RATE_LIMITED" } });
  expect(await guess("another", points)).toMatchObject(wrong);
});

test("successful logins don't count as guesses", async () => {
  const { calls } = createCalls(() => Promise.resolve({}), 1000);
  const { points } = actionDefinition("user.login").rateLimit.perValueOf!;
  const params = { username: "ann", password: "correct horse" };
  for (let n = 0; n <= 2 * points; n += 1)
    expect(await calls.answer("http", "user.login", params, { ...caller, actor: null })).toMatchObject({
      ok: true,
    });
});
