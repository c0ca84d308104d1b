import os from "node:os";
import type { Argv } from "yargs";
import { usageError } from "./exit.ts";
import type { ClusterSize } from "../platform/cluster.ts";
import { MIN_PAYLOAD_BYTES } from "../receivers/message-tag.ts";
import { FAULT_NAMES } from "../report/metric.ts";
import { KNOWN_TARGETS } from "../targets/open-target.ts";

const MAX_PAYLOAD_BYTES = 4000;
export const MAX_PROCESSES = 64;
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const DAY_MS = 24 * UNITS.h;

/** Every command's options for its result. */
export const RESULT_OPTIONS = {
  json: {
    group: "Result:",
    type: "string",
    describe: "Write the result to this file (schema/result.v2.json)",
  },
  html: {
    group: "Result:",
    type: "string",
    describe: "Write a self-contained page with charts to this file",
  },
  csv: { group: "Result:", type: "string", describe: "Write the metrics to this file, one per line" },
  prometheus: {
    group: "Result:",
    type: "string",
    describe: "Write the metrics to this file in Prometheus' text format",
  },
  threshold: {
    group: "Result:",
    type: "string",
    array: true,
    default: [] as string[],
    describe: "Exit with code 99 unless this holds, for example 'worstMs<200' or 'lost==0'. Repeatable",
  },
  allow: {
    group: "Result:",
    type: "string",
    array: true,
    default: [] as string[],
    describe: `Exit with code 0 despite these faults: ${FAULT_NAMES.join(", ")} or all. Separate several by commas`,
  },
  progress: {
    group: "Result:",
    type: "boolean",
    describe: "Progress on stderr; default: only on a terminal",
  },
} as const;

/** The server of commands that measure a running one, or start one for the run. */
export function serverOptions<T>(yargs: Argv<T>, targets: readonly string[] = KNOWN_TARGETS) {
  return yargs
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: `Kind of server: ${targets.join(", ")}${targets.length > 1 ? ", or the file of a plug-in" : ""}`,
    })
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "URL of a running server; default: start one for the run and remove it",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server's metrics (Prometheus text)",
    });
}

/** For commands that need more of a server than broadcasts do. */
export function fanfareOptions<T>(yargs: Argv<T>) {
  return serverOptions(yargs, ["fanfare"]).check(({ target }) => {
    if (target === "fanfare") return true;
    throw usageError(
      `--target ${target}: this command only measures fanfare. Other servers can be measured with ` +
        "bench broadcast, sweep, limits and capacity --search users.",
    );
  });
}

export function clusterOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("gateways", {
      group: "Server:",
      type: "number",
      describe: "Start a cluster with this many gateways instead of a single instance",
    })
    .option("workers", {
      group: "Server:",
      type: "number",
      describe: "Worker processes of that cluster; default: 1",
    });
}

/**
 * undefined: no cluster requested.
 * @throws {ExitError}
 */
export function clusterSizeOf(args: {
  gateways: number | undefined;
  workers: number | undefined;
}): ClusterSize | undefined {
  if (args.gateways === undefined && args.workers === undefined) return undefined;
  return {
    gateways: wholeNumber("gateways", args.gateways ?? 1, 1, MAX_PROCESSES),
    workers: wholeNumber("workers", args.workers ?? 1, 1, MAX_PROCESSES),
  };
}

/** How receivers connect and read. */
export function receiverOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("threads", {
      group: "Receivers:",
      type: "string",
      default: "auto",
      describe: "Receiving threads",
    })
    .option("nap", {
      group: "Receivers:",
      type: "number",
      default: 1,
      describe: "Milliseconds between reads of light receivers; 0 reads every frame immediately",
    })
    .option("connecting", {
      group: "Receivers:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts and registrations",
    });
}

export function payloadOption<T>(yargs: Argv<T>) {
  return yargs.option("payload", {
    group: "Messages:",
    type: "number",
    default: 100,
    describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
  });
}

export const payloadBytes = (value: number): number =>
  wholeNumber("payload", value, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES);

/** @throws {ExitError} unless the option is an integer within these bounds */
export function wholeNumber(option: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw usageError(`--${option} must be an integer from ${min} to ${max}.`);
}

/**
 * "1,2,4" → [1, 2, 4].
 * @throws {ExitError} unless all are different integers within these bounds
 */
export function wholeNumbers(option: string, text: string, min: number, max: number): number[] {
  const values = text.split(",").map((part) => wholeNumber(option, Number(part || NaN), min, max));
  if (new Set(values).size < values.length) throw usageError(`--${option} has a duplicate.`);
  return values;
}

/**
 * "30m" → 1,800,000.
 * @throws {ExitError} without a unit, or out of bounds
 */
export function duration(option: string, text: string, minMs = 0, maxMs = DAY_MS): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const value = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : NaN;
  if (value >= minMs && value <= maxMs) return value;
  const bounds = minMs > 0 ? `, from ${minMs}ms to ${maxMs / UNITS.h}h` : `, at most ${maxMs / UNITS.h}h`;
  throw usageError(`--${option} must be a time such as 500ms, 90s, 30m or 2h${bounds}.`);
}

/** One thread reads some 200,000 frames a second; on few cores a second thread competes with the server. */
export function threadCount(text: string, users: number): number {
  if (text === "auto") return Math.min(os.availableParallelism() >= 8 ? 2 : 1, users);
  return Math.min(wholeNumber("threads", Number(text), 1, 64), users);
}
