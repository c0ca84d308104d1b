import { isInstalled } from "@fanfare/testing";
import { describe, expect, test } from "vitest";
import { kindsLike } from "./faults.ts";
import { formatReport } from "./report.ts";
import { runFaults } from "./run.ts";

// The short form of `pnpm test:faults`: every kind of fault at least once. The default run only kills
// processes.

const SEED = 3;
const SETTINGS = { freezeMs: 4000, cutMs: { from: 300, to: 2000 }, holdMs: { from: 1000, to: 4000 } };

/** One list for both, so that a missing one is named. */
const programs = ["nats-server", "redis-server"].map(isInstalled);

describe.skipIf(programs.includes(false))("faults", () => {
  const LONG = ["stop", "freeze", "cut", "hold", "several"];
  for (const only of ["kill", ...LONG])
    test(
      `${only}: no message is lost and no client is stuck`,
      { tags: LONG.includes(only) ? "long" : [] },
      async () => {
        const kinds = kindsLike([only]);
        const progress: string[] = [];
        const report = await runFaults({
          seed: SEED,
          kinds,
          settings: SETTINGS,
          until: { faults: kinds.length },
          onProgress: (line) => progress.push(line),
        });
        console.log(formatReport(report));
        if (report.violations.length > 0) console.log(progress.join("\n"));
        expect(report.violations).toEqual([]);
        expect(report.findings.acknowledged).toBeGreaterThan(0);
      },
    );
});
