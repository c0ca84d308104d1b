import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startSingleInstance, type Platform } from "../src/platform/platform.ts";
import { taggedContent } from "../src/receivers/message-tag.ts";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { FaultProxy, type Fault, type FaultPlan, type RoundCounts } from "./fault-proxy.ts";
import { measure } from "./measure.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";
import { listen } from "./serve-fake.ts";

const MEMBERS = 24;
/** The last members are official clients, so that both kinds of receivers have the same faults. */
const FIRST_OFFICIAL = 16;
const WARM = 4;
/** The cold message is number 0. */
const SENT = WARM + 1;
const NO_FAULTS = { lost: 0, duplicates: 0, outOfOrder: 0, corrupted: 0, dropped: 0 };

let server: Platform;
let bench: Bench;
let proxy: FaultProxy | undefined;
beforeAll(async () => {
  bench = await Bench.open();
  server = await startSingleInstance(new AbortController().signal, 0);
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});
afterAll(async () => {
  await server.close();
  await bench.close();
});

/** A broadcast by the command line to the real server, with a proxy in between. */
async function broadcast(faultOf: FaultPlan, { timeout = "700ms", more = [] as string[] } = {}) {
  proxy = await FaultProxy.start(server.gateways[0]!.url, { faultOf });
  const options = `--users ${MEMBERS} --probes ${MEMBERS - FIRST_OFFICIAL} --warmup 0 --idle 20ms --interval 0ms`;
  // One after the other, so that members are numbered as they register.
  const args = `${options} --connecting 1 --messages ${WARM} --timeout ${timeout} --each`;
  const outcome = await bench.run("broadcast", ...args.split(" "), "--url", proxy.url, ...more);
  return { ...outcome, result: outcome.result as Result };
}

/** What the tester says about each message, from its table. */
function reportedRounds(result: Result): RoundCounts[] {
  const { rows } = result.tables.find(({ label }) => label === "Messages one by one")!;
  return rows.slice(1).map((row) => {
    const [received, lost, duplicates, outOfOrder] = row.slice(-4).map(Number);
    return { received: received!, lost: lost!, duplicates: duplicates!, outOfOrder: outOfOrder! };
  });
}

/** The tester's counts are those of the proxy, in total and message by message. */
function expectSameCounts(result: Result): void {
  const counts = proxy!.counts(MEMBERS, SENT);
  expect(metricValues(result, Object.keys(counts))).toEqual(counts);
  expect(reportedRounds(result)).toEqual(proxy!.rounds(MEMBERS, SENT));
  const all = { sent: SENT, acknowledged: SENT, stored: SENT, expected: SENT * MEMBERS };
  expect(metricValues(result, Object.keys(all))).toEqual(all);
}

/** The fault, for these members and a message. */
function at(message: number, members: readonly number[], fault: Fault): FaultPlan {
  return (member, number) => (number === message && members.includes(member) ? fault : undefined);
}

const BOTH_KINDS = [0, 5, FIRST_OFFICIAL, MEMBERS - 1];

/** The text of the next message, which the server has yet to send. */
function nextContent(content: string): string {
  const [, run, index, bytes] = content.split(" ");
  return taggedContent(run!, Number(index) + 1, Number(bytes));
}

/** Of message 2, for these members. */
const texts =
  (changes: Record<number, (content: string) => string>): FaultPlan =>
  (member, message) => {
    const content = message === 2 ? changes[member] : undefined;
    return content && { content };
  };
/** Message 2 is lost for four members. */
const FOUR_LOST = [0, 0, 4, 0, 0];

type FaultCase = [string, FaultPlan, Partial<typeof NO_FAULTS>, number[], string, Record<string, number>?];

const FAULTS: FaultCase[] = [
  ["nothing", () => undefined, {}, [0, 0, 0, 0, 0], ""],
  ["dropped messages", at(2, BOTH_KINDS, "drop"), { lost: 4 }, FOUR_LOST, "lost 4"],
  [
    "closed and reset connections",
    (member, message) => at(2, BOTH_KINDS, member % 2 === 0 ? "close" : "reset")(member, message),
    { lost: 12, dropped: 4 },
    [0, 0, 4, 4, 4],
    "lost 12, connections dropped 4",
    // The official client does not say that it was a reset.
    { CONNECTION_CLOSED: 3, ECONNRESET: 1 },
  ],
  ["duplicates", at(2, BOTH_KINDS, "duplicate"), { duplicates: 4 }, [0, 0, 0, 0, 0], "duplicates 4"],
  [
    "a changed character, a truncated text, and an additional space",
    texts({
      0: (content) => content.replace(/.$/, "-"),
      5: (content) => content.slice(0, 40),
      [FIRST_OFFICIAL]: (content) => content.slice(0, 40),
      [MEMBERS - 1]: (content) => `${content} `,
    }),
    { lost: 4, corrupted: 4 },
    FOUR_LOST,
    "lost 4, corrupted 4",
  ],
  [
    "the text of another message",
    texts(Object.fromEntries(BOTH_KINDS.map((member) => [member, nextContent]))),
    { lost: 4, duplicates: 4 },
    FOUR_LOST,
    "lost 4, duplicates 4",
  ],
  [
    "reordered messages",
    at(2, BOTH_KINDS, "hold until the next"),
    { outOfOrder: 4 },
    [0, 0, 0, 0, 0],
    "out of order 4",
  ],
  [
    "half a packet",
    at(2, BOTH_KINDS, "broken packet"),
    { lost: 12, dropped: 4 },
    [0, 0, 4, 4, 4],
    "lost 12, connections dropped 4",
    { INVALID_JSON: 4 },
  ],
];
/** The mixture below has the others but half a packet, which ends a connection like a reset. */
const IN_SHORT_RUN = ["nothing", "dropped messages", "closed and reset connections"];

for (const [name, faultOf, faults, lost, failure, errors = {}] of FAULTS) {
  test(
    `${name}: counted exactly, fails the run, and leaves an incomplete message without a time`,
    { tags: IN_SHORT_RUN.includes(name) ? [] : "long" },
    async () => {
      const { code, stdout, stderr, result } = await broadcast(faultOf);
      expect(proxy!.counts(MEMBERS, SENT)).toMatchObject({ ...NO_FAULTS, ...faults });
      expectSameCounts(result);
      expect(reportedRounds(result).map((round) => round.lost)).toEqual(lost);
      expect(code).toBe(failure === "" ? 0 : 1);
      expect(/^The run failed: (.*)\. Use --allow /.exec(stderr)?.[1] ?? "").toBe(failure);
      expect(Object.fromEntries(result.errors.map(({ code: name, count }) => [name, count]))).toEqual(errors);
      expect(result.errors.every(({ phase }) => phase === "connection")).toBe(true);
      const isComplete = lost.every((count) => count === 0);
      expect(stdout).toMatch(isComplete ? /^ +[\d.,]+ ms {2}worst message/m : /^ +– {2}worst message/m);
      const times = result.series[0]!.points.map(({ y }) => y !== null);
      expect(times).toEqual(lost.map((count) => count === 0));
    },
  );
}

test("any mixture of faults is counted, message by message", async () => {
  const { code, result } = await broadcast(mixture, { more: ["--allow", "all"] });
  expectSameCounts(result);
  const { lost, duplicates, outOfOrder, corrupted } = proxy!.counts(MEMBERS, SENT);
  expect(lost * duplicates * outOfOrder * corrupted).toBeGreaterThan(0);
  expect(code).toBe(0);
});

const MIXED = [
  "drop",
  "duplicate",
  "hold until the next",
  { delayMs: 20 },
  { content: nextContent },
  { content: (content: string) => content.slice(1) },
] as const;

/** Pseudo-random faults, the same each time: about every fourth delivery has one. */
function mixture(member: number, message: number): Fault {
  // Mulberry32, one step for each pair.
  let state = (7919 + member * 104_729 + message * 1_299_709) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  const dice = (state ^ (state >>> 14)) >>> 0;
  // The text after that of the last message is none that is sent.
  return dice % 4 === 0 && message < SENT - 1 ? MIXED[(dice >>> 8) % MIXED.length] : undefined;
}

describe("delays by the server", () => {
  const DELAY_MS = 600;

  const DELAYED = [
    { who: "one light receiver", members: [3], tags: [] },
    { who: "one official client", members: [MEMBERS - 2], tags: "long" },
    { who: "everyone", members: Array.from({ length: MEMBERS }, (_, i) => i), tags: "long" },
  ];
  for (const { who, members, tags } of DELAYED)
    test(`of ${who} are the time of the worst message`, { tags }, async () => {
      const { code, result } = await broadcast(at(2, members, { delayMs: DELAY_MS }), { timeout: "60s" });
      expectSameCounts(result);
      expect(code).toBe(0);
      const message = result.series[0]!.points[2]!;
      // Node's timers are up to 1 ms early by the monotonic clock.
      expect(message.y).toBeGreaterThanOrEqual(DELAY_MS - 1);
      // Unless the tester stood still for a fifth of it, which can happen on a busy machine.
      const worst = metricValue(result, message.kind === "warm" ? "worstMs" : "testerDelayMs")!;
      expect(worst).toBeGreaterThanOrEqual(message.kind === "warm" ? message.y! : DELAY_MS / 5);
    });

  test("of requests only slow down the registration", async () => {
    proxy = await FaultProxy.start(server.gateways[0]!.url);
    proxy.requestDelayMs = 50;
    const args = `broadcast --users 20 --warmup 0 --idle 20ms --messages 2 --connecting 5 --url ${proxy.url}`;
    const { code, ...outcome } = await bench.run(...args.split(" "));
    const result = outcome.result as Result;
    expect(code).toBe(0);
    // Two requests for each guest, five guests at a time.
    expect(proxy.delayedRequests).toBeGreaterThanOrEqual(40);
    const atMost = 5 / (2 * 0.049);
    expect(metricValue(result, "registrationsPerSecond")).toBeLessThanOrEqual(atMost);
    expect(metricValues(result, ["received", "lost"])).toEqual({ received: 60, lost: 0 });
  });
});

test("arrivals after the timeout are late, not lost", async () => {
  const { code, result } = await broadcast(at(2, [0], "hold until the next"));
  expectSameCounts(result);
  expect(result.series[0]!.points[2]!.y).toBeGreaterThanOrEqual(700);
  expect(code).toBe(1);
});

test("a message stored with another text is not stored", async () => {
  const platform = await startFakePlatform();
  platform.storedAs = (content) => [content.replace(/z/, "y")];
  const { counts } = await measure({}, { url: platform.url });
  await platform.close();
  expect(counts).toMatchObject({ acknowledged: 4, stored: 0, received: 160 });
});

test("acknowledged but not stored messages are counted", async () => {
  const platform = await startFakePlatform();
  platform.hideStored = 2;
  const { counts } = await measure({}, { url: platform.url });
  await platform.close();
  expect(counts).toMatchObject({ acknowledged: 4, stored: 2, received: 160 });
});

test("what reading its metrics costs a running server is not taken for the cost of messages", async () => {
  const platform = await startFakePlatform();
  let readings = 0;
  const metrics = createServer((_, response) => {
    readings += 1;
    response.end(`process_cpu_seconds_total ${readings * 0.05}\n`);
  });
  const metricsUrl = `${await listen(metrics)}/metrics`;
  const args =
    "broadcast --users 5 --probes 0 --warmup 0 --idle 1100ms --interval 300ms --messages 5 --burst 3";
  const urls = ["--url", platform.url, "--metrics-url", metricsUrl];
  const { result } = await bench.run(...args.split(" "), ...urls);
  metrics.close();
  await platform.close();
  expect(metricValue(result as Result, "cpuMsPerMessage", { members: 5 })).toBeCloseTo(0);
  expect(metricValue(result as Result, "idleCpuMsPerSecond")).toBeCloseTo(0);
});

test("a rejected connection reports the reason", async () => {
  const platform = await startFakePlatform();
  platform.refuseWith = "TOO_MANY_CONNECTIONS";
  await expect(measure({}, { url: platform.url })).rejects.toThrow(
    /40 of 40 connections .* failed: TOO_MANY_CONNECTIONS \(120\)/,
  );
  await platform.close();
});
