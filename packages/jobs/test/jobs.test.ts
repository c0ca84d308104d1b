import { setImmediate as nextTick } from "node:timers/promises";
import type { Connection } from "mongoose";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  JobQueueFullError,
  PermanentError,
  type JobOptions,
  type Jobs,
  type RunningJob,
} from "../src/jobs.ts";
import { createJobStore } from "../src/job-store.ts";
import { connect, jobsOn, startJobDatabase, type JobDatabase } from "./database.ts";

let database: JobDatabase;
let connection: Connection;
const started: Jobs[] = [];

beforeAll(async () => {
  database = await startJobDatabase();
  connection = database.connection;
});
beforeEach(() => connection.collection("jobs").deleteMany({}));
afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()));
});
afterAll(() => database?.stop());

async function start<P>(options: JobOptions<P>, leaseMs = 30_000) {
  const metrics = new Registry();
  const jobs = jobsOn(connection, { leaseMs, metrics });
  started.push(jobs);
  const kind = jobs.define<P>("test", options);
  await jobs.start();
  return { jobs, kind, metrics };
}
const stored = () => connection.collection("jobs").find().toArray();
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 20 });
const fast = { firstMs: 1, maxMs: 5 };

test("runs an enqueued job with its payload and then removes it", async () => {
  const ran: unknown[] = [];
  const { kind } = await start<{ to: string }>({ run: async ({ payload }) => void ran.push(payload) });
  await kind.enqueue("a", { to: "ann" });
  await waitFor(async () => expect(await stored()).toEqual([]));
  expect(ran).toEqual([{ to: "ann" }]);
});

test("a key is stored once even if many processes enqueue it concurrently", async () => {
  const run = async () => {};
  const kinds = Array.from({ length: 5 }, () => jobsOn(connection).define<number>("test", { run }));
  await Promise.all(kinds.flatMap((kind) => [kind.enqueue("a", 1), kind.enqueue("a", 2)]));
  await kinds[0]!.enqueue("a", 3);
  expect(await stored()).toMatchObject([{ key: "a", payload: 3, requests: 11 }]);
});

test("with onceForMs, a key doesn't run again while it is pending or remembered", async () => {
  const run = vi.fn<(job: RunningJob<number>) => Promise<void>>(async () => {});
  const before = jobsOn(connection).define<number>("test", { run, onceForMs: 60_000 });
  await before.enqueue("a", 1);
  await before.enqueue("a", 2);
  const { kind } = await start<number>({ run, onceForMs: 60_000 });
  await waitFor(async () => expect((await stored())[0]).toHaveProperty("expiresAt"));
  await kind.enqueue("a", 3);
  await kind.enqueue("b", 4);
  await waitFor(() => expect(run).toHaveBeenCalledTimes(2));
  expect(run.mock.calls.map(([{ payload }]) => payload)).toEqual([1, 4]);
});

test("rejects jobs beyond the limit of their kind", async () => {
  const never = async () => new Promise<void>(() => {});
  const kind = jobsOn(connection).define("test", { run: never, maxWaiting: 2 });
  await kind.enqueue("a", null);
  await kind.enqueue("b", null);
  await expect(kind.enqueue("c", null)).rejects.toThrow(JobQueueFullError);
  // Jobs enqueued by other processes count too.
  const { kind: other } = await start({ run: never, maxWaiting: 2 });
  await waitFor(() => expect(other.enqueue("a", null)).rejects.toThrow(JobQueueFullError));
  expect(await stored()).toHaveLength(2);
});

test("limits the concurrency of a kind", async () => {
  let running = 0;
  let most = 0;
  const isFull = Promise.withResolvers<void>();
  const run = async () => {
    most = Math.max(most, (running += 1));
    if (running === 3) isFull.resolve();
    await isFull.promise;
    await nextTick();
    running -= 1;
  };
  const { kind } = await start({ run, concurrency: 3 });
  await Promise.all(Array.from({ length: 30 }, (_, i) => kind.enqueue(String(i), null)));
  await waitFor(async () => expect(await stored()).toEqual([]));
  expect(most).toBe(3);
});

test("a failing job is retried, is dead after its last try, and can be retried or deleted by an admin", async () => {
  const seen: number[] = [];
  const onDead = vi.fn<(error: unknown) => void>();
  const run = async ({ tries }: RunningJob<null>) => {
    seen.push(tries);
    throw new Error("not yet");
  };
  const { kind, jobs, metrics } = await start<null>({ run, maxTries: 3, backoff: fast, onDead });
  await kind.enqueue("a", null);
  await waitFor(() => expect(onDead).toHaveBeenCalledTimes(1));
  expect(seen).toEqual([1, 2, 3]);
  const [dead] = await jobs.listDead(10);
  expect(dead).toMatchObject({ kind: "test", key: "a", tries: 3, lastError: "not yet" });
  expect(await metrics.metrics()).toContain('fanfare_jobs_total{kind="test",outcome="dead"} 1');
  await kind.enqueue("a", null);
  await waitFor(async () => expect((await stored())[0]).toMatchObject({ requests: 2 }));
  expect(await jobs.listDead(10)).toHaveLength(1);
  expect(await createJobStore(connection).live(["test"])).toEqual([]);

  expect(await jobs.retryDead(dead!.id)).toBe(true);
  await waitFor(() => expect(onDead).toHaveBeenCalledTimes(2));
  expect(seen).toEqual([1, 2, 3, 1, 2, 3]);
  expect(await jobs.deleteDead(dead!.id)).toBe(true);
  expect(await jobs.deleteDead(dead!.id)).toBe(false);
  expect(await jobs.retryDead(dead!.id)).toBe(false);
});

test("a permanent failure is not retried; dead jobs are listed in pages, newest first", async () => {
  const run = vi.fn<() => Promise<void>>(async () => {
    throw new PermanentError("no such mailbox");
  });
  const { kind, jobs } = await start({ run });
  for (const key of ["a", "b", "c"]) {
    await kind.enqueue(key, null);
    await waitFor(async () => expect(await jobs.listDead(10)).toHaveLength("abc".indexOf(key) + 1));
  }
  expect(run).toHaveBeenCalledTimes(3);
  const first = await jobs.listDead(2);
  await jobs.deleteDead(first.at(-1)!.id);
  const second = await jobs.listDead(2, first.at(-1));
  expect([...first, ...second].map(({ key }) => key)).toEqual(["c", "b", "a"]);
});

test("a recurring job runs in one process at a time and is retried forever", async () => {
  let running = 0;
  let runs = 0;
  const run = async () => {
    expect((running += 1)).toBe(1);
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    throw new Error("always");
  };
  const options = { run, everyMs: 5, maxTries: 2, backoff: fast };
  await Promise.all([start(options), start(options), start(options)]);
  await waitFor(() => expect(runs).toBeGreaterThan(10));
  expect(await stored()).toHaveLength(1);
});

test("enqueuing a running job causes one more run; enqueuing one in backoff doesn't", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const run = async () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
  };
  const { kind } = await start({
    run,
    everyMs: 3_600_000,
    backoff: { firstMs: 3_600_000, maxMs: 3_600_000 },
  });
  await kind.enqueue("", null);
  await waitFor(() => expect(gates).toHaveLength(1));
  await kind.enqueue("", null);
  await kind.enqueue("", null);
  gates[0]!.resolve();
  await waitFor(() => expect(gates).toHaveLength(2));
  gates[1]!.reject(new Error("fails"));
  await waitFor(async () => expect((await stored())[0]).toMatchObject({ lastError: "fails" }));
  await kind.enqueue("", null);
  expect(gates).toHaveLength(2);
  expect((await stored())[0]!["heldUntil"].getTime()).toBeGreaterThan(Date.now() + 1_000_000);
});

test("a job can reschedule itself", async () => {
  let left = 3;
  const run = async () => {
    left -= 1;
    return left === 0 ? undefined : { againAt: new Date(Date.now() + 30) };
  };
  const { kind } = await start({ run });
  await kind.enqueue("a", null);
  await waitFor(async () => expect(await stored()).toEqual([]));
  expect(left).toBe(0);
});

test("a stopping process releases its jobs without counting the try", async () => {
  const begun = Promise.withResolvers<void>();
  const run = ({ signal }: RunningJob<null>) =>
    new Promise<void>((_resolve, reject) => {
      begun.resolve();
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  const { kind, jobs } = await start<null>({ run });
  await kind.enqueue("a", null);
  await begun.promise;
  await jobs.stop();
  expect(await stored()).toMatchObject([{ tries: 0, heldUntil: new Date(0) }]);
  const tries: number[] = [];
  await start<null>({ run: async (job) => void tries.push(job.tries) });
  await waitFor(async () => expect(await stored()).toEqual([]));
  expect(tries).toEqual([1]);
});

test("a process that stops while it claims a job releases it first", async () => {
  await jobsOn(connection)
    .define("test", { run: async () => {} })
    .enqueue("a", null);
  const own = await connect(database.uri);
  const jobs = jobsOn(own);
  jobs.define("test", { run: async () => {} });
  await jobs.start();
  await jobs.stop();
  await own.close(true);
  expect(await stored()).toMatchObject([{ tries: 0, heldUntil: new Date(0) }]);
});

test("a run that lost its lease is aborted and its outcome rejected", async () => {
  const begun: RunningJob<string>[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const run = async (job: RunningJob<string>) => {
    const gate = gates[begun.push(job) - 1];
    await gate?.promise;
  };
  const { kind, jobs: frozen } = await start<string>({ run }, 50);
  await kind.enqueue("a", "fresh");
  await waitFor(() => expect(begun).toHaveLength(1));
  // Simulates that the first process was suspended for longer than its lease. Repeated, because it can renew the lease first.
  for (let tries = 0; begun.length < 2 && tries < 50; tries += 1) {
    await connection.collection("jobs").updateOne({ fence: 1 }, { $set: { heldUntil: new Date(0) } });
    await start<string>({ run });
  }
  await waitFor(() => expect(begun).toHaveLength(2));
  await waitFor(() => expect(begun[0]!.signal.aborted).toBe(true));
  gates[0].resolve();
  await frozen.stop();
  // The first process has neither removed nor changed the job.
  expect(await stored()).toMatchObject([{ payload: "fresh", fence: 2, tries: 2 }]);
  gates[1].resolve();
  await waitFor(async () => expect(await stored()).toEqual([]));
});

test("a process whose clock jumps ahead doesn't start its running jobs again", async () => {
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const run = async ({ key }: RunningJob<null>) => {
    begun.push(key);
    if (key === "slow") await gate.promise;
  };
  const { kind } = await start<null>({ run, concurrency: 2 });
  await kind.enqueue("slow", null);
  await waitFor(() => expect(begun).toEqual(["slow"]));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  try {
    await kind.enqueue("other", null);
    await waitFor(async () => expect(await stored()).toHaveLength(1));
    gate.resolve();
    await waitFor(async () => expect(await stored()).toEqual([]));
    expect(begun).toEqual(["slow", "other"]);
  } finally {
    vi.useRealTimers();
  }
});
