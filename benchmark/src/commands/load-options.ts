import type { ArgumentsCamelCase, Argv } from "yargs";
import { usageError } from "../exit.ts";
import { LOAD_METRICS, loadMetrics } from "../load/load-metrics.ts";
import type { LoadContext } from "../load/load-context.ts";
import type { LoadPlan } from "../load/load-plan.ts";
import { checkLoadLimits } from "../load/load-preflight.ts";
import type { LoadLoop, LoadMeasurement } from "../load/load-result.ts";
import { loadSummary } from "../load/load-summary.ts";
import { loadThreadCount } from "../load/load-threads.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { LoadResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import type { Api } from "../targets/fanfare/api.ts";
import { addressNeeds } from "./address-needs.ts";
import { openFanfareApi } from "./open-fanfare.ts";
import { MAX_PAYLOAD_BYTES, RESULT_OPTIONS, threadCount, wholeNumber } from "./options.ts";
import { serverOptions } from "./server-options.ts";

/** The maximum number in a message's tag. */
const MOST_REQUESTS = 10_000_000;
const MOST_IN_FLIGHT = 100_000;
const MOST_PER_SECOND = 1_000_000;
const DEFAULT_WARM_UP = 1000;

/** The options of all load commands. */
export function loadOptions<T>(yargs: Argv<T>) {
  return serverOptions(yargs)
    .option("rate", {
      group: "Load:",
      type: "number",
      describe: "Open loop: a fixed rate per second; latency counts from the intended time",
    })
    .option("duration", {
      group: "Load:",
      type: "number",
      default: 30,
      describe: "Duration of an open loop, in seconds",
    })
    .option("warmup", {
      group: "Load:",
      type: "number",
      default: DEFAULT_WARM_UP,
      describe: "Warm-up requests, at most as many as are measured",
    })
    .option("timeout", {
      group: "Load:",
      type: "number",
      default: 30_000,
      describe: "Timeout of a request, in milliseconds",
    })
    .option("workers", {
      group: "Load:",
      type: "string",
      default: "auto",
      describe: "Sending threads; auto: chosen by the machine",
    })
    .option("connecting", {
      group: "Load:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts and registrations",
    })
    .options(RESULT_OPTIONS);
}

/** More options for loads with receivers. */
export function messageLoadOptions<T>(yargs: Argv<T>) {
  return loadOptions(yargs)
    .option("payload", {
      group: "Load:",
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .option("threads", {
      group: "Load:",
      type: "string",
      default: "auto",
      describe: "Threads for users who only receive",
    })
    .option("nap", {
      group: "Load:",
      type: "number",
      default: 1,
      describe: "Milliseconds between their reads; 0 reads every frame immediately",
    });
}

interface LoadArguments {
  rate: number | undefined;
  duration: number;
  warmup: number;
  timeout: number;
  workers: string;
  connecting: number;
  url: string | undefined;
  metricsUrl: string | undefined;
  json: string | undefined;
  html: string | undefined;
  threshold: string[];
  allow: string[];
  progress: boolean | undefined;
  payload?: number;
  threads?: string;
  nap?: number;
}

/**
 * An open loop if a rate is given, otherwise this closed one.
 * @throws {ExitError}
 */
export function loopOf(args: LoadArguments, closed: { inFlight: number; requests: number }): LoadLoop {
  if (args.rate === undefined) {
    return {
      kind: "closed",
      inFlight: Math.min(wholeNumber("in-flight", closed.inFlight, 1, MOST_IN_FLIGHT), closed.requests),
      requests: mostRequests(closed.requests),
    };
  }
  if (!(args.rate > 0 && args.rate <= MOST_PER_SECOND))
    throw usageError(`--rate must be above 0 and at most ${MOST_PER_SECOND}.`);
  if (!(args.duration > 0 && args.duration <= 24 * 3600))
    throw usageError("--duration must be above 0 and at most 86400 seconds.");
  const requests = mostRequests(Math.max(1, Math.round(args.rate * args.duration)));
  return { kind: "open", perSecond: args.rate, durationMs: args.duration * 1000, requests };
}

function mostRequests(requests: number): number {
  if (requests >= 1 && requests <= MOST_REQUESTS) return requests;
  throw usageError(`A run can have 1 to ${MOST_REQUESTS} requests, but this one would have ${requests}.`);
}

/** The participants. */
export interface LoadPeople {
  senders: number;
  /** Users who are online and only receive. */
  receivers: number;
}

/** @throws {ExitError} naming the first invalid option */
export function loadPlanOf(
  args: LoadArguments,
  loop: LoadLoop,
  { senders, receivers }: LoadPeople,
): LoadPlan {
  return {
    loop,
    warmUp: Math.min(wholeNumber("warmup", args.warmup, 0, MOST_REQUESTS), loop.requests),
    timeoutMs: wholeNumber("timeout", args.timeout, 100, 3_600_000),
    payloadBytes:
      args.payload === undefined
        ? 0
        : wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    napMs: wholeNumber("nap", args.nap ?? 0, 0, 100),
    sendingThreads: loadThreadCount(args.workers, senders),
    receivingThreads: receivers === 0 ? 0 : threadCount(args.threads ?? "auto", receivers),
  };
}

export interface LoadCommandRun {
  command: LoadResult["command"];
  plan: LoadPlan;
  /** Shown in the result with the plan. */
  options: Record<string, unknown>;
  connections: number;
  /** Deliveries if nothing is lost. */
  deliveries: number;
  measure: (context: LoadContext, api: Api) => Promise<LoadMeasurement>;
}

/** Opens the server, measures and reports. */
export async function runLoadCommand(
  args: ArgumentsCamelCase<LoadArguments>,
  { command, plan, options, connections, deliveries, measure }: LoadCommandRun,
): Promise<void> {
  const thresholds = parseThresholds(args.threshold, LOAD_METRICS);
  if (args.url?.startsWith("https:"))
    throw usageError("Load commands don't support TLS: set --url to the http:// address behind the proxy.");
  checkLoadLimits({
    ...(await addressNeeds(args.url, "light")),
    connections,
    deliveries,
    requests: plan.loop.requests,
    payloadBytes: plan.payloadBytes,
    isThrowaway: args.url === undefined,
    availableBytes: process.availableMemory(),
  });
  await runCommand<LoadResult>({
    command,
    options: { ...options, ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: loadMetrics,
    async measure(context) {
      const { progress, errors, signal } = context;
      const { url, metricsUrl } = args;
      const place = { url, metricsUrl, registrations: plan.window };
      const { target, api } = await openFanfareApi(context, place, plan.window);
      return measure({ target, plan, progress, errors, signal }, api);
    },
    print: loadSummary,
  });
}
