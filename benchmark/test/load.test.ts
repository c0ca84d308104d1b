import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import type { LatencyResult } from "../src/load/load-result.ts";
import { startSingleInstance } from "../src/platform/single-instance.ts";
import type { Platform } from "../src/platform/platform.ts";
import type { LoadResult } from "../src/report/result.ts";
import { startFakePlatform, type FaultPlan } from "./fake-platform.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

async function load(...args: string[]) {
  const { result, ...outcome } = await bench.run(...args);
  expect(outcome.stderr).toBe("");
  return { ...outcome, result: result as LoadResult };
}

/** Number of values in the histogram of a result, and in its bars. */
function countedIn(latency: LatencyResult | null): number {
  const { totalCount } = decodeFromCompressedBase64(latency!.histogram);
  expect(latency!.bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(totalCount);
  return totalCount;
}

test.each([
  [["direct", "--scale", "2"], "--scale must be above 0 and at most 1."],
  [["direct", "--rate", "0"], "--rate must be above 0"],
  [
    ["direct", "--rate", "1000000", "--duration", "60"],
    "can have 1 to 10000000 requests, but this one would have",
  ],
  [["direct", "--workers", "many"], "--workers must be"],
  [["direct", "--threshold", "speed>1"], "unknown metric speed. Metrics: p50, p90"],
  [["group", "--online", "2"], "--online must be from 0 to 1"],
  [["group", "--groups", "1000"], "--groups must be an integer from 1 to 200."],
  [["chatroom", "--users", "10", "--senders", "20"], "--senders must be an integer from 1 to 10."],
  [["login", "-c", "0"], "--count must be"],
  [["login", "--url", "https://127.0.0.1"], "Load commands don't support TLS"],
  [["login", "--url", "nonsense"], "is not a valid URL"],
])("invalid options are rejected before anything starts: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});

describe("an instance started for the run", () => {
  test("direct: everything acknowledged is stored, and delivered to online users", async () => {
    const size = ["--senders", "4", "--receivers", "10", "--scale", "0.5", "--rounds", "3", "--online"];
    const { code, stdout, result } = await load("direct", ...size, "--threshold", "lost==0");
    expect(code).toBe(0);
    expect(result).toMatchObject({
      command: "direct",
      target: { isThrowaway: true },
      scene: { users: 9, senders: 4, online: 9, channels: 20 },
      loop: { kind: "closed", inFlight: 4, requests: 60 },
      warmUp: { requests: 60, acknowledged: 60 },
      counts: {
        sent: 60,
        acknowledged: 60,
        stored: 60,
        unstored: 0,
        storedTwice: 0,
        // To the receiver and the sender.
        expected: 120,
        received: 120,
        lost: 0,
        duplicates: 0,
        outOfOrder: 0,
        missed: 0,
      },
    });
    expect(result.server.cpuSeconds).toBeGreaterThan(0);
    expect(result.rates.deliveriesPerCpuSecond).toBeGreaterThan(0);
    expect(stdout).toMatch("60 acknowledged · 60 stored · 120 of 120 deliveries received");
    expect(stdout).not.toMatch("\u001B");
    expect(await bench.leftovers()).toEqual([]);
  });
});

describe("a running server", () => {
  let server: Platform;
  let url: string[];
  beforeAll(async () => {
    server = await startSingleInstance(new AbortController().signal, 0);
    const [{ url: address, metricsUrl }] = server.gateways as [Platform["gateways"][0]];
    url = ["--url", address, "--metrics-url", metricsUrl];
  });
  afterAll(() => server.close());

  test("login: each user is in all of their rooms", async () => {
    const { code, result } = await load("login", ...url, "-c", "40", "-t", "10", "--warmup", "20");
    expect(code).toBe(0);
    expect(result).toMatchObject({
      command: "login",
      scene: { users: 40 },
      counts: { sent: 40, acknowledged: 40, refused: 0, unanswered: 0, stored: null, expected: 0 },
      delivery: null,
    });
    expect(result.ack.latencyMs!.p100).toBeGreaterThan(0);
  });

  test("group: half of the members are online, and more messages than senders are in flight", async () => {
    const { result } = await load(
      "group",
      ...url,
      "-c",
      "50",
      "-t",
      "20",
      "--members",
      "8",
      "--online",
      "0.5",
    );
    expect(result).toMatchObject({
      scene: { users: 8, senders: 4, online: 4, groups: 1, members: 8 },
      loop: { inFlight: 20, requests: 50 },
      counts: { acknowledged: 50, stored: 50, expected: 200, received: 200, lost: 0, duplicates: 0 },
    });
  });

  test("groups: each sender writes to each of them in every round", { tags: "long" }, async () => {
    const size = ["--groups", "3", "--members", "10", "--senders", "4", "--rounds", "2", "--online", "0"];
    const { result } = await load("group", ...url, ...size);
    // Four senders, and one observer.
    expect(result).toMatchObject({
      scene: { senders: 4, online: 5, channels: 3 },
      counts: { acknowledged: 24, stored: 24, expected: 120, received: 120, lost: 0 },
    });
  });

  test("chatroom, open loop: the number of messages follows the rate, and two threads of each kind add up", async () => {
    const size = ["--users", "20", "--senders", "5", "--workers", "2", "--threads", "2"];
    const { result, stdout } = await load("chatroom", ...url, ...size, "--rate", "100", "--duration", "1");
    expect(result).toMatchObject({
      loop: { kind: "open", perSecond: 100, durationMs: 1000, requests: 100 },
      threads: { sending: 2, receiving: 2 },
      rates: { offeredPerSecond: 100, receivedShare: 1 },
      counts: { intended: 100, acknowledged: 100, stored: 100, expected: 2000, received: 2000, missed: 0 },
    });
    const { ack, delivery, lastDelivery } = result;
    expect([ack, delivery, lastDelivery].map(countedIn)).toEqual([100, 2000, 100]);
    expect(result.measuredMs).toBeGreaterThanOrEqual(990);
    expect(stdout).toMatch("received ÷ expected 1.0000");
  });

  test("open loop: a stalled server shows in the requests due meanwhile", async () => {
    const { pid } = server.processes[0]!;
    const args = ["direct", ...url, "--senders", "5", "--rate", "100", "--duration", "3", "--warmup", "0"];
    const timers: NodeJS.Timeout[] = [];
    const measure = async (): Promise<LoadResult> => {
      const outcome = await bench
        .runAndAct(args, "measuring", () => {
          timers.push(
            setTimeout(() => process.kill(pid, "SIGSTOP"), 500),
            setTimeout(() => process.kill(pid, "SIGCONT"), 1300),
          );
        })
        .finally(() => {
          for (const timer of timers) clearTimeout(timer);
          process.kill(pid, "SIGCONT");
        });
      return outcome.result as LoadResult;
    };
    let result = await measure();
    // On a busy machine the tester itself may be too late to send a request, which then has no latency.
    for (let tries = 0; result.counts.missed > 0 && tries < 5; tries += 1) result = await measure();
    expect(result.counts).toMatchObject({ acknowledged: 300, missed: 0, lost: 0, unstored: 0 });
    // About 80 of the 300 were due in these 800 ms, on average 400 ms before its end.
    expect(result.ack.latencyMs!.p100).toBeGreaterThan(600);
    expect(result.ack.latencyMs!.p90).toBeGreaterThan(300);
  });

  test("a tester that can't keep the rate says so", async () => {
    const rate = ["--senders", "1", "--rate", "60000", "--duration", "0.3", "--warmup", "0"];
    const thresholds = ["missed==0", "p100<1000000"].flatMap((limit) => ["--threshold", limit]);
    const { code, result, stdout } = await load("direct", ...url, ...rate, ...thresholds);
    expect(code).toBe(99);
    expect(result.thresholds.map(({ passed }) => passed)).toEqual([false, false]);
    expect(result.ack.latencyMs).toMatchObject({ p100: null });
    const { intended, sent, acknowledged, missed, stored, lost, refused } = result.counts;
    expect(intended).toBe(18_000);
    expect(missed).toBeGreaterThan(0);
    expect(sent + missed).toBe(intended);
    expect(acknowledged + refused).toBe(sent);
    expect([stored, lost]).toEqual([acknowledged, 0]);
    expect(result.generator.verdicts[0]).toMatch(`${missed} of 18000 due requests were not made`);
    expect(stdout).not.toMatch("The tester was not the bottleneck.");
  });

  test("Ctrl-C prints the partial result", async () => {
    const args = ["direct", ...url, "--rate", "50", "--duration", "600", "--warmup", "0"];
    const { code, stdout, result } = await bench.runAndAct(args, "measuring", (child) =>
      child.kill("SIGINT"),
    );
    expect(code).toBe(105);
    expect(stdout).toMatch("Interrupted: partial result.");
    expect(result).toMatchObject({ interrupted: true, counts: { lost: 0, stored: null } });
  });
});

describe("a faulty server is detected if", () => {
  const SIZE = ["--members", "8", "--senders", "3", "--online", "0.75", "-c", "30", "--warmup", "0"];

  async function run(faultOf: FaultPlan, hideStored: number, ...args: string[]) {
    const platform = await startFakePlatform(faultOf);
    platform.hideStored = hideStored;
    try {
      // In sequence, so that members are numbered as they register.
      return await load(
        "group",
        "--url",
        platform.url,
        "--connecting",
        "1",
        "--allow",
        "all",
        ...SIZE,
        ...args,
      );
    } finally {
      await platform.close();
    }
  }

  async function group(faultOf: FaultPlan, hideStored = 0): Promise<LoadResult> {
    return (await run(faultOf, hideStored)).result;
  }

  test("it loses some deliveries, to senders and receivers, and duplicates some", async () => {
    const faults: FaultPlan = (member, message) => {
      if (message === 7 && member % 2 === 0) return "drop";
      return message === 9 && member === 4 ? "duplicate" : undefined;
    };
    const limits = ["deliveredP100<10000", "deliveredP99<10000", "deliveredP50<10000", "p100<10000"];
    const thresholds = limits.flatMap((limit) => ["--threshold", limit]);
    const { code, result, stdout } = await run(faults, 0, ...thresholds);
    expect(result.counts).toMatchObject({
      acknowledged: 30,
      stored: 30,
      expected: 180,
      received: 177,
      lost: 3,
      duplicates: 1,
    });
    expect(result.rates.receivedShare).toBeCloseTo(177 / 180);
    // One message of thirty is incomplete: it is the slowest, and so is each of the three deliveries.
    expect(result.lastDelivery!.latencyMs).toMatchObject({ p95: expect.any(Number), p99: null, p100: null });
    expect(result.delivery!.latencyMs).toMatchObject({ p95: expect.any(Number), p99: null, p100: null });
    expect(result.thresholds.map(({ passed }) => passed)).toEqual([false, false, true, true]);
    expect(stdout).toMatch(/full delivery( +[\d.]+){4} +– +– +–\n/);
    expect(code).toBe(99);
  });

  test("it delivers another text than was sent", async () => {
    const result = await group((member, message) =>
      member === 4 && message < 3 ? { content: (content) => content.slice(0, -1) } : undefined,
    );
    expect(result.counts).toMatchObject({ received: 177, lost: 3, corrupted: 3, duplicates: 0 });
  });

  test("it is late for one member", async () => {
    const result = await group((member, message) =>
      member === 5 && message === 3 ? { delayMs: 700 } : undefined,
    );
    expect(result.counts).toMatchObject({ received: 180, lost: 0 });
    expect(result.lastDelivery!.latencyMs!.p100).toBeGreaterThan(690);
    expect(result.delivery!.latencyMs!.p100).toBe(result.lastDelivery!.latencyMs!.p100);
  });

  test("it holds each fifth message until the next, for senders and receivers", async () => {
    const { code, result, stdout } = await run(
      (_, message) => (message % 5 === 2 && message < 25 ? "hold until the next" : undefined),
      0,
      "--threshold",
      "outOfOrder==0",
    );
    // Five messages, to six connections; none of the last, after which nothing arrives.
    expect(result.counts).toMatchObject({ received: 180, lost: 0, duplicates: 0, outOfOrder: 30 });
    expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 30 · ");
    expect(code).toBe(99);
  });

  test("it stores another text than was sent, or a message twice", async () => {
    const platform = await startFakePlatform();
    platform.storedAs = (content) => {
      if (/ 3 \d+ /.test(content)) return [content.slice(0, -1)];
      return / 5 \d+ /.test(content) ? [content, content] : [content];
    };
    const { code, result } = await bench.run("group", "--url", platform.url, ...SIZE);
    await platform.close();
    const counts = { acknowledged: 30, unstored: 1, storedTwice: 1, lost: 0 };
    expect((result as LoadResult).counts).toMatchObject(counts);
    expect(code).toBe(1);
  });

  test("it acknowledges what it hasn't stored", async () => {
    const result = await group(() => undefined, 2);
    expect(result.counts).toMatchObject({ acknowledged: 30, stored: 28, unstored: 2, lost: 0 });
  });
});
