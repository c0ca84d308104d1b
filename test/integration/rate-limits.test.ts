import {
  createLogger,
  createRateLimits,
  redisCounters,
  type NodeContext,
  type RateLimits,
} from "@fanfare/kernel";
import { connectRedis } from "@fanfare/kernel/redis";
import { isInstalled, startRedis, type ServerProcess } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const limit = { points: 10, durationMs: 60_000 };
const logger = createLogger("silent");
const hasRedis = isInstalled("redis-server");

let server: ServerProcess | undefined;
let clients: NonNullable<NodeContext["redis"]>[] = [];
let started: RateLimits[] = [];

beforeAll(async () => {
  if (hasRedis) server = await startRedis();
});
afterEach(async () => {
  for (const limits of started.splice(0)) limits.stop();
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(() => server?.stop());

const noting = (warn: () => void, info = () => {}) => ({ ...logger, warn, info }) as unknown as typeof logger;

/** The limits of one gateway, with its own connection. */
async function startGateway(noted = logger): Promise<RateLimits> {
  const redis = await connectRedis(server!.url, logger);
  clients.push(redis);
  const limits = createRateLimits({ counters: redisCounters(redis), logger: noted, factor: 1 });
  started.push(limits);
  return limits;
}

let names = 0;
const newName = (): string => `test ${process.pid} ${(names += 1)}`;
const count = async (times: number, take: () => number | Promise<number>): Promise<number> => {
  let allowed = 0;
  for (let i = 0; i < times; i++) if ((await take()) === 0) allowed += 1;
  return allowed;
};

describe.each(["memory", "redis"])("limits in %s", (kind) => {
  let limits: RateLimits;
  beforeEach(async ({ skip }) => {
    if (kind === "memory") limits = createRateLimits({ counters: null, logger, factor: 1 });
    else if (hasRedis) limits = await startGateway();
    else skip();
  });

  test.each(["quick", "exact"] as const)(
    "%s: allow the points of a window, then say how long to wait",
    async (how) => {
      const limiter = limits[how](newName(), limit);
      expect(await count(12, () => limiter.take("ann", Date.now()))).toBe(10);
      const waitMs = await limiter.take("ann", Date.now());
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(limit.durationMs);
      expect(await limiter.take("bob", Date.now())).toBe(0);
    },
  );

  test.each(["quick", "exact"] as const)("%s: reset when the window ends", async (how) => {
    const limiter = limits[how](newName(), { points: 2, durationMs: 400 });
    expect(await count(5, () => limiter.take("ann", Date.now()))).toBe(2);
    await vi.waitFor(async () => expect(await limiter.take("ann", Date.now())).toBe(0), { interval: 20 });
    expect(await count(5, () => limiter.take("ann", Date.now()))).toBe(1);
  });

  test("quick: answer synchronously", () => {
    expect(limits.quick(newName(), limit).take("ann", Date.now())).toBe(0);
  });
});

describe.skipIf(!hasRedis)("rate limits of several gateways", () => {
  test("exact: together allow no more than one gateway", async () => {
    let allowed = 0;
    // Without a response in time, a gateway counts separately, and logs that: then once more.
    for (let isDegraded = true; isDegraded;) {
      const name = newName();
      const warn = vi.fn<() => void>();
      const gateways = await Promise.all([1, 2, 3].map(() => startGateway(noting(warn))));
      const limiters = gateways.map((gateway) => gateway.exact(name, limit));
      const answers = await Promise.all(
        limiters.flatMap((limiter) => Array.from({ length: 8 }, async () => limiter.take("ann", Date.now()))),
      );
      isDegraded = warn.mock.calls.length > 0;
      allowed = answers.filter((waitMs) => waitMs === 0).length;
    }
    expect(allowed).toBe(10);
  });

  test("exact: let another gateway take what one gives back", async () => {
    const name = newName();
    const one = (await startGateway()).exact(name, limit);
    expect(await count(12, () => one.take("ann", Date.now()))).toBe(10);
    for (let n = 0; n < 10; n += 1) one.giveBack("ann");
    // A gateway that was refused before would not ask again.
    const askAnother = async () => (await startGateway()).exact(name, limit).take("ann", Date.now());
    await expect.poll(askAnother).toBe(0);
  });

  test("quick: sync within a moment", async () => {
    const name = newName();
    const [one, two] = (await Promise.all([1, 2].map(() => startGateway()))).map((g) => g.quick(name, limit));
    expect(await count(10, () => one!.take("ann", Date.now()))).toBe(10);
    expect(two!.take("ann", Date.now())).toBe(0);
    expect(two!.take("ann", Date.now())).toBe(0);
    await vi.waitFor(() => expect(two!.take("ann", Date.now())).toBeGreaterThan(0));
    expect(await count(20, () => two!.take("ann", Date.now()))).toBe(0);
    expect(two!.take("bob", Date.now())).toBe(0);
  });

  test("count locally while Redis is unavailable, and together again afterwards", async () => {
    const lost = await startRedis();
    const [warn, info] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const redis = await connectRedis(lost.url, logger);
    const limits = createRateLimits({
      counters: redisCounters(redis),
      logger: noting(warn, info),
      factor: 1,
    });
    const name = newName();
    const limiter = limits.exact(name, limit);
    expect(await limiter.take("ann", Date.now())).toBe(0);

    // The first response may have been late: then Redis counts as unavailable for a moment.
    await vi.waitFor(() => expect(info).toHaveBeenCalledTimes(warn.mock.calls.length));
    warn.mockClear();
    lost.freeze();
    expect(await count(20, () => limiter.take("ann", Date.now()))).toBe(9);
    expect(warn).toHaveBeenCalledTimes(1);
    lost.thaw();

    await lost.kill();
    await vi.waitFor(() => expect(redis.status).not.toBe("ready"));
    expect(await count(20, () => limiter.take("bob", Date.now()))).toBe(10);
    await lost.start();
    await vi.waitFor(async () => {
      await limiter.take(`${Math.random()}`, Date.now());
      expect(await redis.dbsize()).toBeGreaterThan(0);
    });
    limits.stop();
    redis.disconnect();
    await lost.stop();
  });
});
