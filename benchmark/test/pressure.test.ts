import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { expectSamples } from "./expect-samples.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** The observed time is the same on a busy machine; starting the servers takes longer there. */
const LONG = { timeout: 600_000 };

const COLUMNS = ["", "offered", "ok", "failed", "p50", "p99", "p100", "reasons"];
const numberOf = (text: string | undefined) => Number(text!.replaceAll(",", ""));

test.each([
  [
    ["--load", "reads"],
    ["bystander alone", "1 hostile guest", "20 hostile guests"],
  ],
  [
    ["--load", "mixed", "--users", "10"],
    ["16 at once", "64 at once", "256 at once", "overload", "afterwards"],
  ],
])(
  "%s: each phase reports the outcome of every request",
  { ...LONG, tags: "long" },
  async (options, phases) => {
    const outcome = await bench.run("pressure", ...options, "--duration", "1s");
    const result = outcome.result as Result;
    expect(outcome.code).toBe(0);
    const rates = result.metrics.filter(({ name }) => name === "requestsPerSecond");
    expect(rates.map(({ labels }) => labels["phase"])).toEqual(phases);
    expect(result.tables.map(({ label }) => label.split(",")[0])).toEqual(phases);
    for (const { rows } of result.tables) {
      const [head, ...operations] = rows;
      expect(head).toEqual(COLUMNS);
      expect(operations.length).toBeGreaterThan(0);
      for (const [, offered, ok, , , , , reasons] of operations) {
        // "OVERLOADED 1,203 · not sent 5": every request that did not succeed has a reason.
        const failed = [...reasons!.matchAll(/ ([\d,]+)(?= · |$)/g)].map(([, times]) => numberOf(times));
        expect(numberOf(ok) + failed.reduce((sum, times) => sum + times, 0)).toBe(numberOf(offered));
      }
    }
    const load = result.tables[1]!.rows.slice(1).filter(([name]) => !name!.startsWith("another user"));
    expect(load.some(([, , ok]) => numberOf(ok) > 0)).toBe(true);
    expectSamples(result);
    expect(await bench.leftovers()).toEqual([]);
  },
);
