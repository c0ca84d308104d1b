import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import { startSingleInstance, type Platform } from "../src/platform/platform.ts";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { FaultProxy, type FaultPlan } from "./fault-proxy.ts";
import { metricValue } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";
import { listen } from "./serve-fake.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

async function load(...args: string[]) {
  const { result, ...outcome } = await bench.run(...args);
  expect(outcome.stderr).toBe("");
  return { ...outcome, result: result as Result };
}

const valuesOf = ({ metrics }: Result) => Object.fromEntries(metrics.map(({ name, value }) => [name, value]));

/** Who took part. */
const labelsOf = (result: Result) => result.metrics[0]!.labels;

const distribution = (result: Result, label: string) =>
  result.distributions.find((one) => one.label === label)!;

/** Number of values in a distribution. */
const countedIn = (result: Result, label: string): number => distribution(result, label).count;

test.each([
  [["direct", "--scale", "2"], "--scale must be above 0 and at most 1."],
  [["direct", "--rate", "0"], "--rate must be above 0"],
  [
    ["direct", "--rate", "1000000", "--duration", "60s"],
    "can have 1 to 10000000 requests, but this one would have",
  ],
  [["direct", "--sending-threads", "many"], "--sending-threads must be"],
  [["direct", "--rate", "10", "--duration", "60"], "--duration must be a time such as 500ms"],
  [
    ["direct", "--threshold", "speed>1"],
    "unknown metric speed. Metrics: acknowledgedPerSecond, deliveriesPerSecond",
  ],
  [["group", "--online", "2"], "--online must be from 0 to 1"],
  [["direct", "--online"], "--online needs a value.\nSee: pnpm bench direct --help"],
  [["group", "--groups", "1000"], "--groups must be an integer from 1 to 200."],
  [["chatroom", "--users", "10", "--senders", "20"], "--senders must be an integer from 1 to 10."],
  [["login", "-c", "0"], "--count must be"],
  [["login", "--url", "nonsense"], "is not a valid URL"],
])("invalid options are rejected before anything starts: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});

describe("an instance started for the run", () => {
  test("direct: everything acknowledged is stored, and delivered to online users", async () => {
    const size = ["--senders", "4", "--receivers", "10", "--scale", "0.5", "--rounds", "3", "--online", "1"];
    const { code, stdout, result } = await load("direct", ...size, "--threshold", "lost==0");
    expect(code).toBe(0);
    expect(result.meta).toMatchObject({
      command: "direct",
      title: "Direct messages",
      options: { loop: { kind: "closed", inFlight: 4, requests: 60 }, warmUp: 60 },
    });
    expect(result.meta.subtitle[0]).toMatch(
      /^fanfare, started for this run: a single instance, \d gateway thread/,
    );
    expect(result.meta.subtitle).toContain("4 senders, 9 of 9 users online, 20 channels");
    expect(result.caveats.join("\n")).toMatch("The rates are averages over only");
    expect(result.caveats.join("\n")).toMatch("acknowledged (60), full delivery (60), each delivery (120)");
    expect(valuesOf(result)).toMatchObject({
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
    });
    expect(metricValue(result, "serverCpuSeconds")).toBeGreaterThan(0);
    expect(metricValue(result, "deliveriesPerCpuSecond")).toBeGreaterThan(0);
    expect(stdout).toMatch(/acknowledged +60\n/);
    expect(stdout).toMatch(/deliveries received +120\n/);
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
    expect(result.meta).toMatchObject({ command: "login", subtitle: expect.arrayContaining(["40 users"]) });
    expect(valuesOf(result)).toMatchObject({
      sent: 40,
      acknowledged: 40,
      refused: 0,
      unanswered: 0,
    });
    for (const name of ["stored", "expected", "deliveryP100Ms"]) {
      expect(valuesOf(result)).not.toHaveProperty(name);
    }
    expect(metricValue(result, "ackP100Ms")).toBeGreaterThan(0);
  });

  test("login: a user who is still logging in is the tester's limit, not the server's failure", async () => {
    const { result } = await load("login", ...url, "-c", "20", "-t", "20", "--users", "4", "--warmup", "0");
    const { acknowledged, missed, ...others } = valuesOf(result);
    expect(others).toMatchObject({ refused: 0, unanswered: 0 });
    expect(missed).toBeGreaterThan(0);
    expect(acknowledged! + missed!).toBe(20);
    expect(result.caveats.join("\n")).toMatch("the last login of their user was not answered yet");
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
    expect(labelsOf(result)).toEqual({ senders: 4, online: 4, groups: 1, members: 8, pace: "20 in flight" });
    expect(result.meta.options).toMatchObject({ loop: { inFlight: 20, requests: 50 } });
    expect(valuesOf(result)).toMatchObject({
      acknowledged: 50,
      stored: 50,
      expected: 200,
      received: 200,
      lost: 0,
      duplicates: 0,
    });
  });

  test("groups: each sender writes to each of them in every round", { tags: "long" }, async () => {
    const size = ["--groups", "3", "--members", "10", "--senders", "4", "--rounds", "2", "--online", "0"];
    const { result } = await load("group", ...url, ...size);
    // Four senders, and one observer.
    expect(labelsOf(result)).toMatchObject({ senders: 4, online: 5, groups: 3, members: 10 });
    expect(valuesOf(result)).toMatchObject({
      acknowledged: 24,
      stored: 24,
      expected: 120,
      received: 120,
      lost: 0,
    });
  });

  test(
    "chatroom, open loop: the number of messages follows the rate, and two threads of each kind add up",
    { tags: "long" },
    async () => {
      const size = ["--users", "20", "--senders", "5", "--sending-threads", "2", "--threads", "2"];
      const { result, stdout } = await load("chatroom", ...url, ...size, "--rate", "100", "--duration", "1s");
      expect(result.meta.options).toMatchObject({
        loop: { kind: "open", perSecond: 100, durationMs: 1000, requests: 100 },
        sendingThreads: 2,
        receivingThreads: 2,
      });
      expect(labelsOf(result)).toMatchObject({ pace: "100/s" });
      expect(valuesOf(result)).toMatchObject({
        sent: 100,
        acknowledged: 100,
        stored: 100,
        expected: 2000,
        received: 2000,
        missed: 0,
        receivedShare: 1,
      });
      const counted = ["acknowledged", "each delivery", "full delivery"].map((of) => countedIn(result, of));
      expect(counted).toEqual([100, 2000, 100]);
      // The last of them was due after 990 ms.
      expect(metricValue(result, "acknowledgedPerSecond")).toBeLessThanOrEqual(100 / 0.99);
      expect(stdout).toMatch(/received ÷ expected +1\.00/);
    },
  );

  test("open loop: a stalled server shows in the requests due meanwhile", async () => {
    const { pid } = server.processes[0]!;
    const args = ["direct", "--senders", "5", "--rate", "50", "--duration", "2s", "--warmup", "0"];
    const measure = async (): Promise<Result> => {
      let resume: NodeJS.Timeout | undefined;
      // Everything passes through this process: should it be late itself, the requests due meanwhile wait as well.
      const faultOf: FaultPlan = (_, message) => {
        if (message >= 25 && resume === undefined) {
          process.kill(pid, "SIGSTOP");
          resume = setTimeout(() => process.kill(pid, "SIGCONT"), 800);
        }
        return undefined;
      };
      const proxy = await FaultProxy.start(server.gateways[0]!.url, { faultOf, memberOf: () => 0 });
      const outcome = await bench.runProgram([...args, "--url", proxy.url, ...url.slice(2)]).finally(() => {
        clearTimeout(resume);
        process.kill(pid, "SIGCONT");
      });
      await proxy.close();
      return outcome.result as Result;
    };
    let result = await measure();
    // On a busy machine the tester itself may be too late to send a request, which then has no latency.
    for (let tries = 0; metricValue(result, "missed")! > 0 && tries < 20; tries += 1)
      result = await measure();
    expect(valuesOf(result)).toMatchObject({ acknowledged: 100, missed: 0, unstored: 0 });
    // About 40 of the 100 were due in these 800 ms, on average 400 ms before its end.
    expect(metricValue(result, "ackP100Ms")).toBeGreaterThan(600);
    expect(metricValue(result, "ackP90Ms")).toBeGreaterThan(300);
  });

  test("a tester that can't keep the rate says so", async () => {
    const rate = ["--senders", "1", "--rate", "60000", "--duration", "100ms", "--warmup", "0"];
    const thresholds = ["missed==0", "ackP100Ms<1000000"].flatMap((limit) => ["--threshold", limit]);
    const { code, result, stdout } = await load("direct", ...url, ...rate, ...thresholds);
    expect(code).toBe(99);
    expect(result.thresholds.map(({ passed }) => passed)).toEqual([false, false]);
    expect(valuesOf(result)).toMatchObject({ ackP100Ms: null });
    const [sent, acknowledged, missed, stored, unstored, refused] = [
      "sent",
      "acknowledged",
      "missed",
      "stored",
      "unstored",
      "refused",
    ].map((name) => metricValue(result, name)!);
    expect(missed).toBeGreaterThan(0);
    expect(sent! + missed!).toBe(6000);
    expect(acknowledged! + refused!).toBe(sent);
    expect([stored, unstored]).toEqual([acknowledged, 0]);
    expect(result.caveats[0]).toMatch(`${missed} of 6000 due requests were not made`);
    expect(stdout).toMatch(`${missed} of 6000 due requests were not made`);
  });
});

test("login: one that hangs is unanswered, and doesn't keep its user from the next one", async () => {
  const platform = await startFakePlatform();
  platform.hangs.add(0);
  const args = ["login", "--url", platform.url, "-c", "12", "-t", "4", "--users", "4", "--warmup", "0"];
  const { result } = await load(...args, "--connecting", "1", "--timeout", "2s");
  await platform.close();
  expect(valuesOf(result)).toMatchObject({ unanswered: 1, missed: 0, acknowledged: 11 });
});

test("login: sessions that the server ends are dropped", async () => {
  const platform = await startFakePlatform();
  const cutting = setInterval(() => platform.cutAll(), 100);
  const args = ["login", "--url", platform.url, "--rate", "20", "--duration", "2s", "--warmup", "0"];
  const { code, result } = await bench.run(...args, "--allow", "all");
  clearInterval(cutting);
  await platform.close();
  expect(metricValue(result as Result, "dropped")).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test("http: a message stored twice doesn't hide one that is not stored", async () => {
  const platform = await startFakePlatform();
  platform.storedAs = (content) =>
    / 3 \d+ /.test(content) ? [] : / 5 \d+ /.test(content) ? [content, content] : [content];
  const small = ["--connections", "1", "-c", "10", "--warmup", "2", "--users", "2", "--channels", "1"];
  const { code, stderr, result } = await bench.run("http", "--url", platform.url, ...small);
  await platform.close();
  expect(valuesOf(result as Result)).toMatchObject({
    acknowledged: 10,
    stored: 10,
    unstored: 1,
    storedTwice: 1,
  });
  expect(stderr).toMatch("The run failed: acknowledged but not persisted 1, stored twice 1.");
  expect(code).toBe(1);
});

describe("stages", () => {
  async function stages(faultOf?: FaultPlan) {
    const platform = await startFakePlatform(faultOf);
    const metrics = createServer((_, response) => response.end("process_cpu_seconds_total 1\n"));
    const urls = ["--url", platform.url, "--metrics-url", await listen(metrics)];
    const small = "--users 4 --messages 5 --in-flight 1 --pulls 5 --uploads 0 --timeout 1s";
    const outcome = await bench.run("stages", ...small.split(" "), ...urls);
    metrics.close();
    await platform.close();
    return { ...outcome, result: outcome.result as Result };
  }

  test("what receivers get of the warm-up is no fault", async () => {
    const { code, result } = await stages();
    const none = { lost: 0, duplicates: 0, corrupted: 0, dropped: 0 };
    expect(valuesOf(result)).toMatchObject({ received: 20, ...none });
    expect(code).toBe(0);
  });

  test("dropped connections and other texts are faults, with the reason", async () => {
    // The warm-up has more messages than are measured.
    const seen = new Map<number, number>();
    const { code, result } = await stages((member) => {
      seen.set(member, (seen.get(member) ?? 0) + 1);
      if (seen.get(member) !== 53) return undefined;
      return member === 0 ? "close" : { content: (content) => `${content}!` };
    });
    expect(valuesOf(result)).toMatchObject({ lost: 6, corrupted: 3, dropped: 1, received: 14 });
    expect(result.errors).toContainEqual({ phase: "connection", code: "CONNECTION_CLOSED", count: 1 });
    expect(code).toBe(1);
  });
});

/** The short run has one of the loads, and the stages. */
const REMOVED = [
  { args: ["direct", "--senders", "1", "-c", "5", "--warmup", "0"], tags: [] },
  {
    args: ["stages", "--users", "2", "--messages", "5", "--in-flight", "1", "--pulls", "5", "--uploads", "0"],
    tags: [],
  },
  { args: ["group", "--members", "4", "--online", "0.5", "-c", "5", "--warmup", "0"], tags: "long" },
  {
    args: ["http", "--connections", "1", "-c", "5", "--warmup", "0", "--users", "2", "--channels", "1"],
    tags: "long",
  },
  { args: ["register", "--users", "2"], tags: "long" },
];
for (const { args, tags } of REMOVED)
  test(`${args[0]} removes its group from a running server`, { tags }, async () => {
    const platform = await startFakePlatform();
    const metrics = createServer((_, response) => response.end("process_cpu_seconds_total 1\n"));
    const urls = ["--url", platform.url, "--metrics-url", await listen(metrics)];
    const { code, stderr } = await bench.run(...args, ...urls);
    metrics.close();
    await platform.close();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(platform.calls).toContain("group.create");
    expect(platform.calls).toContain("group.delete");
  });

describe("a faulty server is detected if", () => {
  const SIZE = ["--members", "8", "--senders", "3", "--online", "0.75", "-c", "30", "--warmup", "0"];
  /** How long to wait for what is lost. */
  const SHORT = ["--timeout", "5s"];

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

  async function group(faultOf: FaultPlan, hideStored = 0): Promise<Result> {
    return (await run(faultOf, hideStored, ...SHORT)).result;
  }

  test(
    "it loses some deliveries, to senders and receivers, and duplicates some",
    { tags: "long" },
    async () => {
      const faults: FaultPlan = (member, message) => {
        if (message === 7 && member % 2 === 0) return "drop";
        return message === 9 && member === 4 ? "duplicate" : undefined;
      };
      const limits = [
        "deliveryP100Ms<10000",
        "deliveryP99Ms<10000",
        "deliveryP50Ms<10000",
        "ackP100Ms<10000",
      ];
      const thresholds = limits.flatMap((limit) => ["--threshold", limit]);
      const { code, result, stdout } = await run(faults, 0, ...SHORT, ...thresholds);
      expect(valuesOf(result)).toMatchObject({
        acknowledged: 30,
        stored: 30,
        expected: 180,
        received: 177,
        lost: 3,
        duplicates: 1,
      });
      expect(metricValue(result, "receivedShare")).toBeCloseTo(177 / 180);
      // One message of thirty is incomplete: it is the slowest, and so is each of the three deliveries.
      expect(distribution(result, "full delivery").percentiles).toMatchObject({
        p95: expect.any(Number),
        p99: null,
        p100: null,
      });
      expect(distribution(result, "each delivery").percentiles).toMatchObject({
        p95: expect.any(Number),
        p99: null,
        p100: null,
      });
      expect(result.thresholds.map(({ passed }) => passed)).toEqual([false, false, true, true]);
      expect(stdout).toMatch(/full delivery( +[\d.]+){4} +– +– +–\n/);
      expect(code).toBe(99);
    },
  );

  test("it delivers another text than was sent", async () => {
    const result = await group((member, message) =>
      member === 4 && message < 3 ? { content: (content) => content.slice(0, -1) } : undefined,
    );
    expect(valuesOf(result)).toMatchObject({ received: 177, lost: 3, corrupted: 3, duplicates: 0 });
  });

  test("it is late for one member", async () => {
    const result = await group((member, message) =>
      member === 5 && message === 3 ? { delayMs: 700 } : undefined,
    );
    expect(valuesOf(result)).toMatchObject({ received: 180, lost: 0 });
    expect(metricValue(result, "deliveryP100Ms")).toBeGreaterThan(690);
    expect(distribution(result, "each delivery").percentiles!.p100).toBe(
      metricValue(result, "deliveryP100Ms"),
    );
  });

  test("a delivery is late, not lost, until the timeout", { tags: "long" }, async () => {
    const late: FaultPlan = (member, message) =>
      member === 5 && message === 29 ? { delayMs: 6000 } : undefined;
    const { result } = await run(late, 0, "--timeout", "20s");
    expect(valuesOf(result)).toMatchObject({ received: 180, lost: 0 });
    expect(metricValue(result, "deliveryP100Ms")).toBeGreaterThan(5900);
  });

  test("it holds each fifth message until the next, for senders and receivers", async () => {
    const { code, result, stdout } = await run(
      (_, message) => (message % 5 === 2 && message < 25 ? "hold until the next" : undefined),
      0,
      "--threshold",
      "outOfOrder==0",
    );
    // Five messages, to six connections; none of the last, after which nothing arrives.
    expect(valuesOf(result)).toMatchObject({ received: 180, lost: 0, duplicates: 0, outOfOrder: 30 });
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
    expect(valuesOf(result as Result)).toMatchObject(counts);
    expect(code).toBe(1);
  });

  test("it acknowledges what it hasn't stored", async () => {
    const result = await group(() => undefined, 2);
    expect(valuesOf(result)).toMatchObject({ acknowledged: 30, stored: 28, unstored: 2, lost: 0 });
  });
});
