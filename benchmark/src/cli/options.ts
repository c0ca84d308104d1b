import os from "node:os";
import type { Options } from "yargs";
import type { ClusterSize } from "../platform/platform.ts";
import { MIN_PAYLOAD_BYTES } from "../receivers/message-tag.ts";
import { FAULT_NAMES } from "../report/metric.ts";
import { KNOWN_TARGETS } from "../targets/plugins.ts";
import { PROGRAM, usageError } from "./exit.ts";

const MAX_PAYLOAD_BYTES = 4000;
export const DEFAULT_NAP_MS = 0.3;
export const MAX_PROCESSES = 64;
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const DAY_MS = 24 * UNITS.h;

/** An option of a command: what yargs parses and shows, and how that becomes the value the command uses. */
export interface Option<Value> extends Options {
  /** @throws {ExitError} if the given value is invalid */
  read: (flag: string, given: never) => Value;
}

/** The options of a command by their names, in the order its help shows them. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** What a command gets: valid values under the names of the options. */
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never;
};

/** What users type: the name without its unit. connectTimeoutMs is --connect-timeout. */
function flagOf(name: string): string {
  return name.replace(/(Ms|Bytes)$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** For yargs. */
export function byFlag(table: OptionTable): Record<string, Options> {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [flagOf(name), option]));
}

/** @throws {ExitError} naming the first invalid option */
export function readOptions<Table extends OptionTable>(
  table: Table,
  args: Readonly<Record<string, unknown>>,
): OptionValues<Table> {
  const values = Object.entries(table).map(([name, { read }]) => {
    const flag = flagOf(name);
    return [name, args[flag] === undefined ? undefined : read(flag, args[flag] as never)];
  });
  return Object.fromEntries(values) as OptionValues<Table>;
}

/** The headings of the help. */
type Heading = "Server" | "Receivers" | "Messages" | "Load" | "Who" | "Search" | "Result";

interface Shown<Given> {
  default?: Given;
  defaultDescription?: string;
  alias?: string;
}

type Bounds = readonly [min: number, max: number];

type OrUndefined<Settings, Value> = Settings extends { default: unknown } ? Value : Value | undefined;

export function option<Given, Value, Settings extends Shown<Given>>(
  heading: Heading,
  describe: string,
  type: Options["type"],
  settings: Settings,
  read: (flag: string, given: Given) => Value,
): Option<OrUndefined<Settings, Value>> {
  // Without it, "--users" alone would be the default.
  const requiresArg = type !== "boolean";
  return { group: `${heading}:`, describe, type, requiresArg, ...settings, read };
}

export const integer = <Settings extends Shown<number>>(
  heading: Heading,
  describe: string,
  [min, max]: Bounds,
  settings: Settings = {} as Settings,
) =>
  option(heading, describe, "number", settings, (flag, given: number) => wholeNumber(flag, given, min, max));

/** A number with a fraction: from `min` on, or above 0. */
export const fraction = <Settings extends Shown<number> & { min?: number; max: number }>(
  heading: Heading,
  describe: string,
  settings: Settings,
) =>
  option(heading, describe, "number", settings, (flag, given: number) => {
    const { min, max } = settings;
    if ((min === undefined ? given > 0 : given >= min) && given <= max) return given;
    const bounds = min === undefined ? `above 0 and at most ${max}` : `from ${min} to ${max}`;
    throw usageError(`--${flag} must be ${bounds}.`);
  });

/** Several different integers, separated by commas. */
export const integers = <Settings extends Shown<string>>(
  heading: Heading,
  describe: string,
  [min, max]: Bounds,
  settings: Settings,
) =>
  option(heading, describe, "string", settings, (flag, given: string) => wholeNumbers(flag, given, min, max));

/** A time with its unit, in milliseconds. */
export const time = <Settings extends Shown<string> & { minMs?: number; maxMs?: number }>(
  heading: Heading,
  describe: string,
  settings: Settings,
) =>
  option(heading, describe, "string", settings, (flag, given: string) =>
    duration(flag, given, settings.minMs, settings.maxMs),
  );

/** Some of these names, separated by commas. */
export const names = <Name extends string, Settings extends Shown<string> & { known: readonly Name[] }>(
  heading: Heading,
  describe: string,
  settings: Settings & { known: readonly Name[] },
) =>
  option(heading, describe, "string", settings, (flag, given: string) =>
    namesIn(flag, given, settings.known),
  );

export const text = <Settings extends Shown<string>>(
  heading: Heading,
  describe: string,
  settings: Settings = {} as Settings,
) => option(heading, describe, "string", settings, (_, given: string) => given);

export const choice = <const Name extends string>(
  heading: Heading,
  describe: string,
  settings: Shown<Name> & { default: Name; choices: Name[] },
) => option(heading, describe, undefined, settings, (_, given: Name) => given);

export const flag = (heading: Heading, describe: string) =>
  option(heading, describe, "boolean", { default: false }, (_, given: boolean) => given);

const result = (describe: string) => ({ group: "Result:", type: "string", describe }) as const;
const results = (describe: string) =>
  ({ ...result(describe), array: true, default: [] as string[] }) as const;

/** Every command's options for its result. */
export const RESULT_OPTIONS = {
  json: result("Write the result to this file (schema/result.v3.json)"),
  html: result("Write a self-contained page with charts to this file"),
  csv: result("Write the metrics to this file, one per line"),
  prometheus: result("Write the metrics to this file in Prometheus' text format"),
  threshold: results(
    "Exit with code 99 unless this holds, for example 'worstMs<200'. An unknown name prints all metrics. Repeatable",
  ),
  allow: results(
    `Exit with code 0 despite these faults: ${FAULT_NAMES.join(", ")} or all. Separate several by commas`,
  ),
  progress: {
    group: "Result:",
    type: "boolean",
    describe: "Progress on stderr; default: only on a terminal",
  },
} as const;

/** The server of commands that measure a running one, or start one for the run. */
export const SERVER_OPTIONS = {
  target: text("Server", `Kind of server: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in`, {
    default: "fanfare",
  }),
  url: text("Server", "URL of a running server; default: start one for the run and remove it"),
  metricsUrl: text("Server", "URL of the server's metrics (Prometheus text)"),
};

/** For commands that can use users that exist. */
export const EXISTING_USERS_OPTIONS = {
  tokens: text(
    "Server",
    "Use the users with these access tokens instead of new ones: a file with one token per line, the sender's first",
  ),
  channel: text("Server", "ID of the channel that the users of --tokens share"),
};

/** For commands that need more of a server than broadcasts do. */
export const FANFARE_OPTIONS = {
  ...SERVER_OPTIONS,
  target: option("Server", "Kind of server: fanfare", "string", { default: "fanfare" }, (_, name: string) => {
    if (name === "fanfare") return name;
    throw usageError(
      `--target ${name}: this command only measures fanfare. Other servers can be measured with ` +
        `${PROGRAM} broadcast, sweep, limits and capacity --search users.`,
    );
  }),
};

export const CLUSTER_OPTIONS = {
  gateways: integer("Server", "Start a cluster with this many gateways instead of a single instance", [
    0,
    MAX_PROCESSES,
  ]),
  workers: integer("Server", "Worker processes of that cluster; default: 1", [1, MAX_PROCESSES]),
};

export const nap = (heading: Heading) =>
  time(heading, "Pause of light receivers between reads, so that one read gets several frames; 0ms: none", {
    default: `${DEFAULT_NAP_MS}ms`,
    maxMs: 100,
  });

export const connecting = (heading: Heading) =>
  integer(heading, "Concurrent connection attempts and registrations", [1, 10_000], { default: 100 });

/** How receivers connect and read. */
export const RECEIVER_OPTIONS = {
  threads: text("Receivers", "Threads that receive; auto: chosen by the machine", { default: "auto" }),
  napMs: nap("Receivers"),
  connecting: connecting("Receivers"),
};

export const PAYLOAD_OPTIONS = {
  payloadBytes: integer(
    "Messages",
    `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    [MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES],
    { default: 100 },
  ),
};

export const MOST_USERS = 1_000_000;

export const USERS_OPTION = integer("Receivers", "Members who are online and receive", [1, MOST_USERS], {
  default: 1000,
  alias: "u",
});

/** How long to wait for the last member. */
export const LAST_MEMBER_TIMEOUT = time("Messages", "How long to wait for the last member", {
  default: "30s",
  minMs: 100,
});

export const REQUEST_TIMEOUT = time("Load", "Timeout of a request", { default: "30s", minMs: 100 });

/**
 * undefined: no cluster requested.
 * @throws {ExitError}
 */
export function clusterSizeOf({
  gateways,
  workers,
}: OptionValues<typeof CLUSTER_OPTIONS>): ClusterSize | undefined {
  if (gateways === undefined && workers === undefined) return undefined;
  return { gateways: wholeNumber("gateways", gateways ?? 1, 1, MAX_PROCESSES), workers: workers ?? 1 };
}

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
  const most = maxMs < UNITS.h ? `${maxMs}ms` : `${maxMs / UNITS.h}h`;
  const bounds = minMs > 0 ? `, from ${minMs}ms to ${most}` : `, at most ${most}`;
  throw usageError(`--${option} must be a time such as 500ms, 90s, 30m or 2h${bounds}.`);
}

/** One thread reads some 200,000 frames a second; on few cores a second thread competes with the server. */
export function threadCount(text: string, users: number): number {
  return threads("threads", text, users, os.availableParallelism() >= 8 ? 2 : 1);
}

/** One thread makes tens of thousands of requests a second. */
export function sendingThreadCount(text: string, senders: number): number {
  return threads("sending-threads", text, senders, Math.max(1, Math.floor(os.availableParallelism() / 8)));
}

/** @throws {ExitError} unless the text is "auto" or a number */
function threads(option: string, text: string, most: number, auto: number): number {
  return Math.min(most, text === "auto" ? auto : wholeNumber(option, Number(text), 1, 64));
}

/**
 * "rolling,kill" → ["rolling", "kill"].
 * @throws {ExitError} for an unknown name
 */
export function namesIn<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  const all = text === "" ? [] : text.split(",");
  const unknown = all.filter((name) => !known.some((one) => one === name));
  if (unknown.length === 0) return all as Name[];
  throw usageError(`--${option}: unknown ${unknown.join(", ")}. Choices: ${known.join(", ")}.`);
}
