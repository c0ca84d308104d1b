import type { RunContext } from "../cli/scenario.ts";
import { integer, MAX_PROCESSES } from "../cli/options.ts";
import { usageError } from "../cli/exit.ts";
import type { BroadcastPlan } from "../kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast } from "../kernels/broadcast/broadcast-run.ts";
import { ErrorTable } from "../kernels/broadcast/error-table.ts";
import { count } from "../report/format.ts";
import type { Labels, Metric } from "../report/metric.ts";
import type { ErrorRow } from "../report/result.ts";
import { KNOWN_TARGETS, openServer, type TargetOptions } from "../targets/open-target.ts";
import type { Prepared, Target } from "../targets/target.ts";
import { broadcastMetrics } from "./broadcast-outcome.ts";

/** Of commands that measure servers in turns. */
export const passesOption = (times: number, describe = "Interleaved passes") =>
  integer("Server", describe, [1, 1000], { default: times });

/** A server to measure beside others: the value of --target, and its URL if it is already running. */
export interface ServerSpec {
  /** As written, for example "socket.io:2"; with the URL if several have the same name. */
  label: string;
  name: string;
  url: string | undefined;
  /** Of a server that is started: gateway threads of Fanfare, processes of Socket.IO. undefined: its default. */
  size: number | undefined;
}

/**
 * "fanfare,fanfare:0,tailchat=http://127.0.0.1:11000,socket.io:2".
 * @throws {ExitError}
 */
export function serverSpecs(option: string, text: string): ServerSpec[] {
  const specs = text.split(",").map((part) => {
    const [label = "", ...rest] = part.trim().split("=");
    const [, name = label, size] = /^(fanfare|socket\.io):(\d+)$/.exec(label) ?? [];
    const url = rest.length === 0 ? undefined : rest.join("=");
    return { label, name, url, size: size === undefined ? undefined : Number(size), text: part.trim() };
  });
  for (const { label, name, url, size } of specs) {
    if (!KNOWN_TARGETS.includes(name) && !/\.[cm]?[jt]s$/.test(name)) {
      throw usageError(
        `--${option}: unknown ${name || "(empty)"}. Choices: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in; ` +
          "a running server is written as name=URL, fanfare:N has N gateway threads, and socket.io:N has N processes.",
      );
    }
    if (url !== undefined && !URL.canParse(url)) throw usageError(`--${option}: ${url} is not a valid URL.`);
    if (
      size !== undefined &&
      (url !== undefined || size > MAX_PROCESSES || (size === 0 && name !== "fanfare"))
    )
      throw usageError(`--${option}: ${label} can't be started with this number.`);
  }
  if (new Set(specs.map(({ text }) => text)).size < specs.length)
    throw usageError(`--${option} has a duplicate.`);
  const isUnique = (wanted: string) => specs.filter(({ label }) => label === wanted).length === 1;
  return specs.map(({ text, label, ...spec }) => ({ ...spec, label: isUnique(label) ? label : text }));
}

/** A prepared server, and how much of it the audience uses. */
export interface Contestant {
  target: Target;
  prepared: Prepared;
  plan: BroadcastPlan;
  labels: Labels;
  /** How many of its addresses; default: all. */
  spread?: number;
  /** false: an earlier audience used the same processes, which have kept its memory. */
  isFresh: boolean;
}

export interface ContestantOptions extends Pick<
  TargetOptions,
  "cluster" | "cores" | "metricsUrl" | "existing"
> {
  spec: ServerSpec;
  plan: BroadcastPlan;
  labels: Labels;
}

/** Starts a server, or connects to a running one, and registers the members. Closed at the end of the run. */
export async function openContestant(
  { spec: { label, name, url, size }, plan, labels, ...options }: ContestantOptions,
  context: RunContext,
): Promise<Contestant> {
  const { progress, signal } = context;
  signal.throwIfAborted();
  const started =
    name === "fanfare"
      ? { gatewayThreads: size ?? (options.cluster ? undefined : plan.gatewayThreads) }
      : { processes: size };
  const place = { ...options, ...started, url, registrations: plan.connecting };
  const target = await openServer(context, name, place, `${label}: api`);
  const prepared = await target.prepare(plan.users, progress, signal);
  return { target, prepared, plan, labels, isFresh: true };
}

interface JudgedBroadcast {
  name: string;
  verdicts: readonly string[];
}

/** Of verdicts that differ only in their numbers, the last one stands for all. */
export function caveatsOf(broadcasts: readonly JudgedBroadcast[]): string[] {
  const all = broadcasts.flatMap((broadcast) => broadcast.verdicts.map((text) => ({ broadcast, text })));
  const alike = Map.groupBy(all, ({ broadcast, text }) => broadcast.name + text.replace(/[\d.,]+/g, ""));
  return [...alike.values()].map((same) => {
    const { broadcast, text } = same.at(-1)!;
    const times = new Set(same.map((one) => one.broadcast)).size;
    const ofName = broadcasts.filter(({ name }) => name === broadcast.name).length;
    return `${broadcast.name}, ${times} of ${count(ofName, "broadcast")}: ${text}`;
  });
}

/** What several broadcasts measured, one after the other. */
class Findings {
  readonly metrics: Metric[] = [];
  readonly errors: ErrorRow[] = [];
  readonly #broadcasts: JudgedBroadcast[] = [];

  async measure(contestant: Contestant, pass: number, { progress, signal }: RunContext): Promise<void> {
    signal.throwIfAborted();
    const { target, prepared, plan, labels, spread } = contestant;
    const errors = new ErrorTable();
    const measurement = await measureBroadcast({ target, prepared, plan, spread, progress, errors, signal });
    const name = Object.values(labels).join(", ");
    this.#broadcasts.push({ name, verdicts: measurement.generator.verdicts });
    for (const row of errors.rows()) this.errors.push({ ...row, phase: `${name}: ${row.phase}` });
    const all = broadcastMetrics(measurement, { ...labels, pass });
    this.metrics.push(
      ...(contestant.isFresh ? all : all.filter((metric) => metric.name !== "rssPerConnectionBytes")),
    );
    contestant.isFresh = false;
  }

  get caveats(): string[] {
    return caveatsOf(this.#broadcasts);
  }
}

/** What was measured until an interruption counts. */
export async function findingsOf(
  { signal }: RunContext,
  work: (findings: Findings) => Promise<void>,
): Promise<Pick<Findings, "metrics" | "caveats" | "errors">> {
  const findings = new Findings();
  await work(findings).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  const { metrics, caveats, errors } = findings;
  return { metrics, caveats, errors };
}

/** Servers that run at the same time and take turns, in each of these passes. */
interface Round {
  contestants: readonly ContestantOptions[];
  passes: readonly number[];
}

/** One round after the other, each with servers of its own. */
export function sideBySide(context: RunContext, rounds: readonly Round[]) {
  return findingsOf(context, async (findings) => {
    for (const round of rounds) {
      const contestants: Contestant[] = [];
      for (const options of round.contestants) contestants.push(await openContestant(options, context));
      await takeTurns(contestants, round.passes, findings, context);
      // Idle servers would share the machine with the next round.
      for (const { target } of contestants) await target.close();
    }
  });
}

export const passNumbers = (passes: number): number[] => Array.from({ length: passes }, (_, i) => i + 1);

/** All servers run the whole time and take turns, so that a slow minute of the machine affects all of them. */
export async function takeTurns(
  contestants: readonly Contestant[],
  passes: readonly number[],
  findings: Findings,
  context: RunContext,
): Promise<void> {
  for (const pass of passes)
    for (const contestant of contestants) await findings.measure(contestant, pass, context);
}
