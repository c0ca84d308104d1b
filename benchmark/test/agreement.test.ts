import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ErrorTable } from "../src/measure/error-table.ts";
import { measureBroadcast } from "../src/measure/broadcast-run.ts";
import { spread } from "../src/measure/percentiles.ts";
import { Progress } from "../src/report/progress.ts";
import { openTarget } from "../src/targets/open-target.ts";
import { measure, PLAN } from "./measure.ts";

const USERS = 1000;
const PASSES = 3;
/** Less is the noise of a machine that does other things besides: this is no timed test. */
const MOST_RATIO = 3;

/** 6,000 connections, half of them of the official client. */
const LONG = { timeout: 180_000 };

test(
  "light receivers and official clients see the same at 1,000 users, in turns on one server",
  { ...LONG, tags: "long" },
  async () => {
    const { signal } = new AbortController();
    const options = {
      urls: [],
      cluster: undefined,
      metricsUrl: undefined,
      registrationConcurrency: 1,
      onError: () => {},
    };
    const target = await openTarget("socket.io", options, signal);
    const progress = new Progress(false);
    const prepared = await target.prepare(USERS, progress, signal);
    const common = {
      ...PLAN,
      users: USERS,
      probes: 0,
      warmup: 2,
      messages: 5,
      timeoutMs: 20_000,
      window: 50,
    };
    const p100: Record<"light" | "official", number[]> = { light: [], official: [] };
    try {
      for (let pass = 0; pass < PASSES; pass++) {
        for (const kind of ["light", "official"] as const) {
          const plan = { ...common, kind, connectTimeoutMs: 30_000 };
          const errors = new ErrorTable();
          const { counts, warm } = await measureBroadcast({
            target,
            prepared,
            plan,
            progress,
            errors,
            signal,
          });
          expect(counts).toMatchObject({ sent: 8, acknowledged: 8, received: 8 * USERS });
          expect(counts).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0, foreign: 0, dropped: 0 });
          p100[kind].push(warm.p100Ms!.median);
        }
      }
    } finally {
      await target.close();
    }
    // The best of several passes is what is left when nothing else got in the way.
    const ratio = spread(p100.official)!.min / spread(p100.light)!.min;
    expect(ratio < MOST_RATIO && ratio > 1 / MOST_RATIO ? "they agree" : p100).toBe("they agree");
  },
);

test("members who are too slow are the tester's fault, and it says so", async () => {
  const name = fileURLToPath(new URL("./slow-plugin.ts", import.meta.url));
  const plan = { kind: "official", probes: 0, users: 40, timeoutMs: 20_000 } as const;
  const { generator, counts, warm } = await measure(plan, { name });
  expect(counts).toMatchObject({ received: 160, lost: 0 });
  // 40 members of one thread, 5 ms each.
  expect(warm.p100Ms!.median).toBeGreaterThan(190);
  expect(generator.verdicts.join("\n")).toMatch(
    // It may have had to wait for a core besides; either way it is not the server that is blamed.
    /The tester was the bottleneck: its receiving thread was busy|This machine has too few cores free|Other programs kept/,
  );
});
