import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import type { RunContext } from "../cli/scenario.ts";
import { integer, MAX_PROCESSES } from "../cli/options.ts";
import { PROGRAM, usageError } from "../cli/exit.ts";
import type { BroadcastPlan } from "../kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast } from "../kernels/broadcast/broadcast-run.ts";
import { untilAborted } from "../kernels/broadcast/clock.ts";
import { ErrorTable } from "../kernels/broadcast/error-table.ts";
import { count } from "../report/format.ts";
import type { Labels, Metric } from "../report/metric.ts";
import type { ErrorRow } from "../report/result.ts";
import { openServer, type TargetOptions } from "../targets/open-target.ts";
import { KNOWN_TARGETS } from "../targets/plugins.ts";
import { broadcastMetrics } from "./broadcast-outcome.ts";

/** Of commands that measure servers in turns. */
export const passesOption = (times: number, describe = "Interleaved passes") =>
  integer("Server", describe, [1, 1000], { default: times });

/** A server to measure beside others: the value of --target, and its URL if it is already running. */
export interface ServerSpec {
  /** As written, for example "socket.io:2"; with the URL if several have the same name. */
  label: string;
  name: string;
  url?: string | undefined;
  /** Of a server that is started: gateway threads of Fanfare, processes of Socket.IO. undefined: its default. */
  size?: number | undefined;
}

/**
 * "fanfare,fanfare:0,tailchat=http://127.0.0.1:11000,socket.io:2".
 * @throws {ExitError}
 */
export function serverSpecs(option: string, text: string): ServerSpec[] {
  const parts = text.split(",").map((part) => part.trim());
  if (new Set(parts).size < parts.length) throw usageError(`--${option} has a duplicate.`);
  const specs = parts.map((part) => specOf(option, part));
  const isUnique = (wanted: string) => specs.filter(({ label }) => label === wanted).length === 1;
  return specs.map((spec, i) => ({ ...spec, label: isUnique(spec.label) ? spec.label : parts[i]! }));
}

function specOf(option: string, part: string): ServerSpec {
  const [label = "", ...rest] = part.split("=");
  const [, name = label, number] = /^(fanfare|socket\.io):(\d+)$/.exec(label) ?? [];
  const url = rest.length === 0 ? undefined : rest.join("=");
  const size = number === undefined ? undefined : Number(number);
  if (!KNOWN_TARGETS.includes(name) && !/\.[cm]?[jt]s$/.test(name)) {
    throw usageError(
      `--${option}: unknown ${name || "(empty)"}. Choices: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in; ` +
        "a running server is written as name=URL, fanfare:N has N gateway threads, and socket.io:N has N processes.",
    );
  }
  if (url !== undefined && !URL.canParse(url)) throw usageError(`--${option}: ${url} is not a valid URL.`);
  const isWrong = (n: number) => url !== undefined || n > MAX_PROCESSES || (n === 0 && name !== "fanfare");
  if (size !== undefined && isWrong(size))
    throw usageError(`--${option}: ${label} can't be started with this number.`);
  return { label, name, url, size };
}

/**
 * The server of --target and --url.
 * @throws {ExitError}
 */
export function serverSpec({ target, url }: { target: string; url: string | undefined }): ServerSpec {
  const [spec, another] = serverSpecs("target", url === undefined ? target : `${target}=${url}`);
  if (another === undefined) return spec!;
  throw usageError(
    `--target names one server. For several: ${PROGRAM} limits --targets, or ${PROGRAM} versus.`,
  );
}

/** The threads of instances of Fanfare that are started with the default; undefined: there are none. */
export function defaultThreadsOf(servers: readonly ServerSpec[]): number | undefined {
  const isDefault = ({ name, url, size }: ServerSpec) =>
    name === "fanfare" && url === undefined && size === undefined;
  return servers.some(isDefault) ? defaultGatewayThreads() : undefined;
}

/** What to start of it. */
export const sizeOf = ({ name, size }: ServerSpec) =>
  name === "fanfare" ? { gatewayThreads: size } : { processes: size };

/** A server to measure in turns with others. */
export interface Contestant extends Pick<TargetOptions, "cluster" | "cores" | "metricsUrl" | "existing"> {
  spec: ServerSpec;
  plan: BroadcastPlan;
  labels: Labels;
  /** Of a cluster: an audience for each of these numbers of its addresses, by its label; default: one that uses all. */
  spreads?: Readonly<Record<string, number>>;
}

/** Servers that run at the same time and take turns, in each of these passes. */
interface Round {
  contestants: readonly Contestant[];
  passes: readonly number[];
}

export const passNumbers = (passes: number): number[] => Array.from({ length: passes }, (_, i) => i + 1);

/**
 * One round after the other, each with servers of its own, which all run the whole time and take turns, so that a slow minute
 * of the machine affects all of them. On an abort signal, the result has everything up to then.
 */
export async function sideBySide(context: RunContext, rounds: readonly Round[]) {
  const { progress, signal } = context;
  const [metrics, errors]: [Metric[], ErrorRow[]] = [[], []];
  const broadcasts: JudgedBroadcast[] = [];
  type Turn = Awaited<ReturnType<typeof open>>[number];
  await untilAborted(signal, measureAll());
  return { metrics, errors, caveats: caveatsOf(broadcasts) };

  async function measureAll(): Promise<void> {
    for (const { contestants, passes } of rounds) {
      const turns: Turn[] = [];
      for (const contestant of contestants) turns.push(...(await open(contestant)));
      for (const pass of passes) for (const turn of turns) await measure(turn, pass);
      // Idle servers would share the machine with the next round.
      for (const { target } of turns) await target.close();
    }
  }

  /** Starts a server, or connects to a running one, and registers the members. */
  async function open({ spec, plan, labels, spreads, ...options }: Contestant) {
    signal.throwIfAborted();
    const { label, name, url } = spec;
    const place = { ...options, ...sizeOf(spec), url, registrations: plan.connecting };
    const target = await openServer(context, name, place, `${label}: api`);
    const prepared = await target.prepare(plan.users, progress, signal);
    const audiences = spreads ?? { [label]: target.urls.length };
    return Object.entries(audiences).map(([server, spread], i) => ({
      target,
      prepared,
      plan,
      labels: spreads ? { ...labels, server } : labels,
      spread,
      /** false: an earlier audience used the same processes, which have kept its memory. */
      isFresh: i === 0,
    }));
  }

  async function measure(turn: Turn, pass: number): Promise<void> {
    signal.throwIfAborted();
    const table = new ErrorTable();
    const measurement = await measureBroadcast({ ...turn, progress, errors: table, signal });
    const name = Object.values(turn.labels).join(", ");
    broadcasts.push({ name, verdicts: measurement.generator.verdicts });
    for (const row of table.rows()) errors.push({ ...row, phase: `${name}: ${row.phase}` });
    const all = broadcastMetrics(measurement, { ...turn.labels, pass });
    metrics.push(...(turn.isFresh ? all : all.filter((metric) => metric.name !== "rssPerConnectionBytes")));
    turn.isFresh = false;
  }
}

interface JudgedBroadcast {
  name: string;
  verdicts: readonly string[];
}

/** Of verdicts that differ only in their numbers, the last one stands for all. */
export function caveatsOf(broadcasts: readonly JudgedBroadcast[], noun = "broadcast"): string[] {
  const all = broadcasts.flatMap((broadcast) => broadcast.verdicts.map((text) => ({ broadcast, text })));
  const alike = Map.groupBy(all, ({ broadcast, text }) => broadcast.name + text.replace(/[\d.,]+/g, ""));
  return [...alike.values()].map((same) => {
    const { broadcast, text } = same.at(-1)!;
    const times = new Set(same.map((one) => one.broadcast)).size;
    const ofName = broadcasts.filter(({ name }) => name === broadcast.name).length;
    return `${broadcast.name}, ${times} of ${count(ofName, noun)}: ${text}`;
  });
}
