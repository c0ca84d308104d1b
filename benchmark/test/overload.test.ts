import { afterEach, beforeEach, expect, test } from "vitest";
import { ErrorTable } from "../src/kernels/broadcast/error-table.ts";
import { Progress } from "../src/report/progress.ts";
import type { Result } from "../src/report/result.ts";
import { measureOverload, type OverloadPlan } from "../src/scenarios/overload-run.ts";
import { openFanfareTarget } from "../src/targets/fanfare/fanfare-target.ts";
import { expectSamples } from "./expect-samples.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { metricValue } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** The observed time is the same on a busy machine; starting the servers takes longer there. */
const LONG = { timeout: 600_000 };

test("receivers that the server disconnects are dropped, and their messages not lost", async () => {
  const platform = await startFakePlatform((member, message) =>
    member === 1 && message === 5 ? "close" : undefined,
  );
  const { signal } = new AbortController();
  const errors = new ErrorTable();
  const target = await openFanfareTarget({ url: platform.url, registrations: 1, onError: () => {} }, signal);
  const plan: OverloadPlan = {
    cluster: undefined,
    gateways: 0,
    workers: 1,
    users: 4,
    senders: 2,
    stalled: 0,
    threads: 1,
    durationMs: 1000,
    factor: 2,
    capacity: 10,
    connecting: 1,
    napMs: 0.3,
    payloadBytes: 100,
  };
  // It was not started for the run.
  Object.assign(target, { platform: { usage: () => null, processes: [] } });
  const measured = await measureOverload(target, plan, { progress: new Progress(false), errors, signal });
  await target.close();
  await platform.close();
  expect(measured).toMatchObject({ dropped: 1, disturbed: 1, lost: 0 });
});

const SMALL = ["--users", "10", "--senders", "5", "--duration", "1s"];

test(
  "what is acknowledged is stored, and everything else is rejected with a retry time",
  { ...LONG, tags: "long" },
  async () => {
    const { code, stdout, ...outcome } = await bench.run(
      "overload",
      ...SMALL,
      // More than five connections may have in flight.
      "--capacity",
      "20000",
      "--threshold",
      "unstored==0",
      "--threshold",
      "unanswered==0",
    );
    const result = outcome.result as Result;
    expect(code).toBe(0);
    expect(stdout).toMatch("lost 0 · acknowledged but not persisted 0");
    const overload = (name: string) => metricValue(result, name, { phase: "overload" })!;
    expect(overload("refused")).toBeGreaterThan(0);
    expect(overload("unanswered")).toBe(0);
    expect(metricValue(result, "withoutRetryAfter")).toBe(0);
    const refusals = result.tables.find(({ label }) => label === "Rejections by code")!;
    expect(refusals.rows.map(([refusal]) => refusal)).toEqual(["OVERLOADED"]);
    expect(overload("acknowledged") + overload("refused") + overload("missed")).toBe(overload("sent"));
    const [acknowledged] = result.metrics.filter(
      ({ name, labels }) => name === "acknowledged" && !("phase" in labels),
    );
    expect(metricValue(result, "stored")).toBe(acknowledged!.value);
    expect(acknowledged!.value).toBeGreaterThan(overload("acknowledged"));
    expectSamples(result);
    expect(await bench.leftovers()).toEqual([]);
  },
);

test("the capacity is found by closed loops", { ...LONG, tags: "long" }, async () => {
  const outcome = await bench.run("overload", ...SMALL, "--factor", "0.2");
  const result = outcome.result as Result;
  const [, ...steps] = result.tables.find(({ label }) => label.startsWith("Capacity"))!.rows;
  expect(steps.map(([inFlight]) => inFlight)).toEqual(["16", "64", "256", "1,024"]);
  const best = metricValue(result, "capacityPerSecond")!;
  const rates = steps.map(([, rate]) => Number(rate!.replaceAll(/[,/s]/g, "")));
  expect(Math.max(...rates)).toBe(Math.round(best));
  expect(metricValue(result, "offeredPerSecond")).toBeCloseTo(best / 5);
});
