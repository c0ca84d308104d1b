import type { Message } from "@fanfare/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ErrorTable } from "../src/kernels/broadcast/error-table.ts";
import { Progress } from "../src/report/progress.ts";
import type { Result } from "../src/report/result.ts";
import { measureStorm, type StormPlan } from "../src/scenarios/storm-run.ts";
import { stormMetrics } from "../src/scenarios/storm.ts";
import { openFanfareTarget } from "../src/targets/fanfare/fanfare-target.ts";
import { metricValue } from "./metric-value.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** Six gateways are stopped and restarted, on a machine with other load. */
const LONG = { timeout: 600_000 };
const SMALL = [
  "--users",
  "60",
  "--sdk",
  "6",
  "--senders",
  "2",
  "--rate",
  "10",
  "--steady",
  "1s",
  "--timeout",
  "3m",
];

test.skipIf(cannotCluster)(
  "no messages are lost when gateways restart or are killed",
  { ...LONG, tags: "long" },
  async () => {
    const { code, stdout, ...outcome } = await bench.run(
      "storm",
      ...SMALL,
      "--threshold",
      "lost==0",
      "--threshold",
      "unstored==0",
      "--threshold",
      "inexactCopies==0",
    );
    const result = outcome.result as Result;
    expect(stdout).toMatch("lost 0 · acknowledged but not persisted 0 · stored twice 0 · not recovered 0");
    expect(code).toBe(0);
    const ofPhases = (name: string) =>
      result.metrics.filter((metric) => metric.name === name && "phase" in metric.labels);
    const at = (name: string, phase: string) => metricValue(result, name, { phase })!;
    expect(ofPhases("moved").map(({ labels, value }) => [labels["phase"], value! > 0])).toEqual([
      ["steady", false],
      ["rolling 1", true],
      ["rolling 2", true],
      ["kill -9 one", true],
      ["all kill -9", true],
    ]);
    // Both gateways were away: every client had to reconnect and fetch what it missed.
    expect(at("moved", "all kill -9")).toBe(54);
    for (const phase of ["rolling 1", "rolling 2", "kill -9 one", "all kill -9"])
      expect(at("recoveredMs", phase)).toBeGreaterThan(at("serversBackMs", phase));
    expect(metricValue(result, "recovered")).toBeGreaterThan(0);
    // Some messages are sent between two phases.
    const total = (name: string) =>
      result.metrics.find((metric) => metric.name === name && !("phase" in metric.labels))!.value!;
    expect(total("acknowledged")).toBe(total("sent"));
    expect(metricValue(result, "failed")).toBe(0);
    expect(metricValue(result, "expected")).toBe(total("acknowledged") * 60);
    expect(await bench.leftovers()).toEqual([]);
  },
);

const PLAN: StormPlan = {
  users: 12,
  sdk: 3,
  senders: 1,
  cluster: undefined,
  faults: [],
  rate: 10,
  steadyMs: 1000,
  timeoutMs: 10_000,
  threads: 1,
  napMs: 0.3,
  payloadBytes: 100,
};

describe("a database that loses messages", () => {
  test("is reported, and the members' copies differ from it", { tags: "long" }, async () => {
    const { signal } = new AbortController();
    const options = { gatewayThreads: 0, registrations: 8, onError: () => {} };
    const target = await openFanfareTarget(options, signal);
    try {
      const forgetful = {
        urls: target.urls,
        dialect: "fanfare" as const,
        platform: target.platform,
        usage: () => target.usage(),
        prepare: target.prepare.bind(target),
        get meeting() {
          return target.meeting;
        },
        async *messages() {
          let twice: Message | undefined;
          let number = 0;
          for await (const message of target.messages()) {
            if (number === 5) twice = message;
            if (number++ >= 2) yield message;
          }
          yield twice!;
        },
      };
      const context = { plan: PLAN, progress: new Progress(false), errors: new ErrorTable(), signal };
      const result = await measureStorm({ ...context, target: forgetful });
      expect(result.counts).toMatchObject({ lost: 0, unstored: 2, storedTwice: 1 });
      expect(result.exactCopies).toBe(0);
      const value = (name: string) => stormMetrics(result).find((metric) => metric.name === name)?.value;
      expect([value("unstored"), value("inexactCopies")]).toEqual([2, 3]);
    } finally {
      await target.close();
    }
  });
});
