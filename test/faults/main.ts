import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { buildServer } from "../../scripts/build.ts";
import { kindsLike } from "./faults.ts";
import { formatReport } from "./report.ts";
import { runFaults } from "./run.ts";

const USAGE = `usage: pnpm test:faults [--minutes N | --faults N] [--seed S] [--only KIND,…] [--json FILE]
KIND matches any part of a kind's name: kill, stop, freeze, cut, hold, several, nats, "kill gateway", …`;
const EXIT_USAGE = 2;
const HIGHEST_SEED = 2 ** 31;
const SETTINGS = { freezeMs: 10_000, cutMs: { from: 500, to: 6000 }, holdMs: { from: 2000, to: 12_000 } };

function readArguments() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      faults: { type: "string" },
      seed: { type: "string", default: String(randomInt(HIGHEST_SEED)) },
      only: { type: "string", default: "" },
      json: { type: "string" },
    },
  });
  const positive = (name: string, text: string): number => {
    const value = Number(text);
    if (!(value > 0)) throw new Error(`--${name} must be a positive number, not ${text}`);
    return value;
  };
  return {
    seed: positive("seed", values.seed),
    kinds: kindsLike(values.only.split(",").filter((part) => part !== "")),
    until:
      values.faults === undefined
        ? { minutes: positive("minutes", values.minutes) }
        : { faults: positive("faults", values.faults) },
    json: values.json,
  };
}

let options: ReturnType<typeof readArguments>;
try {
  options = readArguments();
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(EXIT_USAGE);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
await buildServer();
console.log(`seed ${options.seed}`);
const beganMs = performance.now();
const report = await runFaults({
  ...options,
  settings: SETTINGS,
  onProgress: (line) =>
    console.log(`${((performance.now() - beganMs) / 1000).toFixed(0).padStart(5)} s  ${line}`),
});
console.log(`\n${formatReport(report)}`);
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(report, null, 2));
process.exit(report.violations.length === 0 ? 0 : 1);
