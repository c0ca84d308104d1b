import { mkdtemp, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallMeta } from "@fanfare/contract";
import { loadConfig } from "../src/config.ts";
import { CLOCK_TOLERANCE_MS, deadlineOf, isExceeded } from "../src/request-scope.ts";
import { defineService } from "../src/define-service.ts";
import type { NodeContext } from "../src/node-context.ts";
import { WorkQueue } from "../src/work-queue.ts";
import { startNode, type RunningNode } from "../src/start-node.ts";

interface Pool {
  checkOut(options: object): Promise<unknown>;
  checkIn(connection: unknown): void;
  options: { maxPoolSize: number };
  waitQueueSize: number;
}

type AnyCall = (name: string, params: unknown, options: { meta: CallMeta }) => Promise<unknown>;

const DONT_WAIT = { timeoutContext: { connectionCheckoutTimeout: null, csotEnabled: () => false } };
const unavailable = { type: "UNAVAILABLE", data: { retryAfterMs: expect.any(Number) } };

let dir: string;
let running: RunningNode;
let call: AnyCall;
/** The handler of `user.me`. */
let work: (node: NodeContext, nested: () => Promise<unknown>) => Promise<unknown>;
let node: NodeContext;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-deadline-"));
  const config = loadConfig({ NODE_ENV: "test", OPS_PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dir });
  running = await startNode(
    config,
    [
      (context) =>
        defineService((node = context), {
          name: "user",
          actions: {
            "user.createGuest": (request) =>
              work(node, () => request.services.user.listRevokedSessions({})) as never,
            "user.listRevokedSessions": async () => {
              await things().insertOne({ by: "a nested call" });
              return { sessionIds: [] };
            },
          },
        }),
      () => ({
        name: "probe",
        created() {
          call = (name, params, options) => this.broker.call(name, params, options);
        },
      }),
    ],
    (error) => {
      throw error;
    },
  );
});
afterAll(async () => {
  await running?.stop();
  await rm(dir, { recursive: true, force: true });
});

test("a failed start finishes calls in progress before closing the database", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-failed-start-"));
  const config = loadConfig({ NODE_ENV: "test", OPS_PORT: "0", LOG_LEVEL: "silent", DATA_DIR: folder });
  const called = Promise.withResolvers<void>();
  let answer: Promise<unknown> | undefined;
  const starting = startNode(
    config,
    [
      (context) =>
        defineService(context, {
          name: "user",
          actions: {
            "user.listRevokedSessions": async () => {
              called.resolve();
              await delay(300);
              await context.database.collection("things").insertOne({});
              return { sessionIds: [] };
            },
          },
        }),
      (context) => ({
        name: "caller",
        async started() {
          await called.promise;
          throw new Error("It cannot start.");
        },
        created() {
          this.broker.waitForServices("user").then(
            () => (answer = context.services.user.listRevokedSessions({}).catch((error: unknown) => error)),
            () => undefined,
          );
        },
      }),
    ],
    (error) => {
      throw error;
    },
  );
  await expect(starting).rejects.toThrow("It cannot start.");
  expect(await answer).toEqual({ sessionIds: [] });
  await rm(folder, { recursive: true });
});

const things = () => node.database.collection<{ by: string }>("things");
const callUntil = (deadlineMs: number): Promise<unknown> =>
  call("user.createGuest", {}, { meta: { actor: null, requestId: `r.${deadlineMs}`, deadlineMs } });
const passed = async (deadlineMs: number): Promise<void> => {
  while (Date.now() <= deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("rejects a call that arrives after its deadline", async () => {
  let isCalled = false;
  work = async () => (isCalled = true);
  await expect(callUntil(Date.now() - 1)).rejects.toMatchObject(unavailable);
  expect(isCalled).toBe(false);
});

test("a call whose deadline passes stops at its next command, also in nested calls", async () => {
  const deadlineMs = Date.now() + 2000;
  let own: unknown;
  let nested: unknown;
  work = async (_node, callOther) => {
    await things().insertOne({ by: "the call in time" });
    await passed(deadlineMs);
    own = await things()
      .insertOne({ by: "the call" })
      .catch((error: unknown) => error);
    nested = await callOther().catch((error: unknown) => error);
    throw own;
  };
  await expect(callUntil(deadlineMs)).rejects.toMatchObject(unavailable);
  expect(own).toMatchObject(unavailable);
  expect(nested).toBeInstanceOf(Error);
  expect(await things().distinct("by")).toEqual(["the call in time"]);
});

test("does not send a command that waited for a connection past the deadline", async () => {
  await things().deleteMany({});
  const { topology } = node.database.getClient() as unknown as {
    topology: { s: { servers: Map<string, { pool: Pool }> } };
  };
  const [server] = topology.s.servers.values();
  const { pool } = server!;
  const held = await Promise.all(
    Array.from({ length: pool.options.maxPoolSize }, () => pool.checkOut(DONT_WAIT)),
  );
  const deadlineMs = Date.now() + 2000;
  work = () => things().insertOne({ by: "a call that waited" });
  const waiting = callUntil(deadlineMs);
  waiting.catch(() => {});
  await passed(deadlineMs);
  // Background work of the node can be waiting too.
  expect(pool.waitQueueSize).toBeGreaterThan(0);
  for (const connection of held) pool.checkIn(connection);
  await expect(waiting).rejects.toMatchObject(unavailable);
  expect(await things().countDocuments()).toBe(0);
});

test("does not start a task that waited in a queue past the deadline", async () => {
  const queue = new WorkQueue({ atOnce: 1, waiting: 1, retryAfterMs: 1000 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = queue.run(() => released);
  let hasStarted = false;
  const deadlineMs = Date.now() + 2000;
  work = () => queue.run(async () => (hasStarted = true));
  const waiting = callUntil(deadlineMs);
  waiting.catch(() => {});
  await passed(deadlineMs);
  release();
  await first;
  await expect(waiting).rejects.toMatchObject(unavailable);
  expect(hasStarted).toBe(false);
});

test("background work of an answered call has no deadline", async () => {
  const deadlineMs = Date.now() + 2000;
  const { promise: done, resolve } = Promise.withResolvers<unknown>();
  work = async () => {
    void passed(deadlineMs).then(() => resolve(things().insertOne({ by: "the background" })));
    return {};
  };
  await callUntil(deadlineMs);
  await expect(done).resolves.toMatchObject({ acknowledged: true });
});

test("accepts a call of another process within the clock tolerance, not after it", async () => {
  const late = (byMs: number) => isExceeded(deadlineOf(Date.now() - byMs, true));
  expect([late(CLOCK_TOLERANCE_MS - 500), late(CLOCK_TOLERANCE_MS + 500)]).toEqual([false, true]);
});
