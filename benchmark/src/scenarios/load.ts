import type { Argv } from "yargs";
import {
  duration,
  fanfareOptions,
  payloadBytes,
  payloadOption,
  threadCount,
  wholeNumber,
} from "../cli/options.ts";
import type { PlannedRun, RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { openFanfareApi } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import type { LoadContext, LoadMeasurement, LoadPlan } from "../kernels/load/load.ts";
import { checkLoadLimits } from "../kernels/load/load-preflight.ts";
import { sendingThreadCount, type RequestLoop } from "../kernels/requests/request-threads.ts";
import { count, duration as durationText, whole } from "../report/format.ts";
import { metricsInOrder, type Labels, type MetricName } from "../report/metric.ts";
import type { Outcome, Series } from "../report/result.ts";
import type { Api } from "../targets/fanfare/api.ts";

/** The maximum number in a message's tag. */
export const MOST_REQUESTS = 10_000_000;
const MOST_IN_FLIGHT = 100_000;
const MOST_PER_SECOND = 1_000_000;
const DEFAULT_WARM_UP = 1000;

export const LOAD_METRICS = [
  "acknowledgedPerSecond",
  "deliveriesPerSecond",
  "lost",
  "duplicates",
  "outOfOrder",
  "corrupted",
  "unstored",
  "storedTwice",
  "dropped",
  "acknowledgedPerCpuSecond",
  "deliveriesPerCpuSecond",
  "ackP50Ms",
  "ackP90Ms",
  "ackP99Ms",
  "ackP100Ms",
  "deliveryP50Ms",
  "deliveryP99Ms",
  "deliveryP100Ms",
  "receivedShare",
  "sent",
  "acknowledged",
  "refused",
  "unanswered",
  "missed",
  "stored",
  "expected",
  "received",
  "resyncs",
  "registrationsPerSecond",
  "serverCores",
  "serverCpuSeconds",
  "rssBytes",
  "rssMaxBytes",
  "loopDelayMaxMs",
  "senderBusy",
  "senderWaiting",
  "receiverBusy",
  "receiverWaiting",
  "sentLateP99Ms",
  "otherProgramsCores",
  "testerCpuSeconds",
  "testerRssBytes",
] as const satisfies readonly MetricName[];

/** The options of every load of requests. */
export function loadOptions<T>(yargs: Argv<T>) {
  return fanfareOptions(yargs)
    .option("rate", {
      group: "Load:",
      type: "number",
      describe: "Open loop: a fixed rate per second; latency counts from the intended time",
    })
    .option("duration", {
      group: "Load:",
      type: "string",
      defaultDescription: "30s",
      describe: "Duration of an open loop",
    })
    .option("warmup", {
      group: "Load:",
      type: "number",
      default: DEFAULT_WARM_UP,
      describe: "Warm-up requests, at most as many as are measured",
    })
    .option("timeout", { group: "Load:", type: "string", default: "30s", describe: "Timeout of a request" })
    .option("sending-threads", {
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
    });
}

/** The same, of messages that others receive. */
export function messageLoadOptions<T>(yargs: Argv<T>) {
  return payloadOption(loadOptions(yargs))
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
  url: string | undefined;
  metricsUrl: string | undefined;
  rate: number | undefined;
  duration: string | undefined;
  warmup: number;
  timeout: string;
  sendingThreads: string;
  connecting: number;
  payload?: number;
  threads?: string;
  nap?: number;
}

/**
 * An open loop if a rate is given, otherwise this closed one.
 * @throws {ExitError}
 */
export function loopOf(
  args: Pick<LoadArguments, "rate" | "duration">,
  closed: { inFlight: number; requests: number },
): RequestLoop {
  if (args.rate === undefined) {
    if (args.duration !== undefined) throw usageError("--duration is for an open loop: add --rate.");
    return {
      kind: "closed",
      inFlight: Math.min(wholeNumber("in-flight", closed.inFlight, 1, MOST_IN_FLIGHT), closed.requests),
      requests: mostRequests(closed.requests),
    };
  }
  if (!(args.rate > 0 && args.rate <= MOST_PER_SECOND))
    throw usageError(`--rate must be above 0 and at most ${MOST_PER_SECOND}.`);
  const durationMs = duration("duration", args.duration ?? "30s", 1);
  const requests = mostRequests(Math.max(1, Math.round((args.rate * durationMs) / 1000)));
  return { kind: "open", perSecond: args.rate, durationMs, requests };
}

function mostRequests(requests: number): number {
  if (requests >= 1 && requests <= MOST_REQUESTS) return requests;
  throw usageError(`A run can have 1 to ${MOST_REQUESTS} requests, but this one would have ${requests}.`);
}

/**
 * @param people connections that send, and those that only receive
 * @throws {ExitError} naming the first invalid option
 */
export function loadPlanOf(
  args: LoadArguments,
  loop: RequestLoop,
  { senders, receivers }: { senders: number; receivers: number },
): LoadPlan {
  return {
    loop,
    warmUp: Math.min(wholeNumber("warmup", args.warmup, 0, MOST_REQUESTS), loop.requests),
    timeoutMs: duration("timeout", args.timeout, 100),
    payloadBytes: args.payload === undefined ? 0 : payloadBytes(args.payload),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    napMs: wholeNumber("nap", args.nap ?? 0, 0, 100),
    sendingThreads: sendingThreadCount(args.sendingThreads, senders),
    receivingThreads: receivers === 0 ? 0 : threadCount(args.threads ?? "auto", receivers),
  };
}

export interface LoadRun {
  title: string;
  plan: LoadPlan;
  /** Shown in the result with the plan. */
  options: Record<string, unknown>;
  connections: number;
  /** Deliveries if nothing is lost. */
  deliveries: number;
  measure: (context: LoadContext, api: Api) => Promise<LoadMeasurement>;
}

/** Opens the server, measures and reports. */
export async function planLoad(
  { url, metricsUrl }: Pick<LoadArguments, "url" | "metricsUrl">,
  { title, plan, options, connections, deliveries, measure }: LoadRun,
): Promise<PlannedRun> {
  if (url?.startsWith("https:"))
    throw usageError("Load commands don't support TLS: set --url to the http:// address behind the proxy.");
  checkLoadLimits({
    ...(await addressNeeds(url, "light")),
    connections,
    deliveries,
    requests: plan.loop.requests,
    payloadBytes: plan.payloadBytes,
    isThrowaway: url === undefined,
    availableBytes: process.availableMemory(),
  });
  return {
    options: { ...options, ...plan },
    async measure(context: RunContext) {
      const place = { url, metricsUrl, registrations: plan.window };
      const { target, api } = await openFanfareApi(context, place, plan.window);
      return loadOutcome(title, await measure({ ...context, target, plan }, api));
    },
  };
}

function loadOutcome(title: string, load: LoadMeasurement): Outcome {
  const { target, plan, scene, warmUp, distributions, verdicts, errors } = load;
  const server = target.isThrowaway
    ? `${target.name}, started for this run`
    : `${target.name} at ${target.url}`;
  return {
    title: `${title} · ${server}`,
    subtitle: [
      peopleText(scene),
      paceText(plan.loop),
      `after a warm-up of ${whole(warmUp)}`,
      `${plan.sendingThreads} sending, ${count(plan.receivingThreads, "receiving thread")}`,
    ],
    metrics: metricsInOrder(LOAD_METRICS, load.values, loadLabels(load)),
    distributions,
    series: loadSeries(load),
    caveats: verdicts,
    errors,
  };
}

function peopleText({ users, senders, online, channels, groups, members }: LoadMeasurement["scene"]): string {
  if (online === 0) return count(users, "user");
  const who = `${count(senders, "sender")}, ${whole(online)} of ${count(users, "user")} online`;
  if (groups !== null) return `${who}, ${count(groups, "group")} of ${whole(members!)}`;
  return channels > 0 ? `${who}, ${count(channels, "channel")}` : who;
}

function paceText(loop: RequestLoop): string {
  return loop.kind === "closed"
    ? `${count(loop.requests, "request")}, ${whole(loop.inFlight)} in flight (closed loop)`
    : `${count(loop.requests, "request")}, ${whole(loop.perSecond)}/s for ${durationText(loop.durationMs)} (open loop)`;
}

function loadLabels({ scene, plan: { loop } }: LoadMeasurement): Labels {
  const { senders, online, groups, members } = scene;
  return {
    senders,
    online,
    ...(groups === null ? {} : { groups, members: members! }),
    pace: loop.kind === "closed" ? `${loop.inFlight} in flight` : `${loop.perSecond}/s`,
  };
}

function loadSeries({ samples, scene }: LoadMeasurement): Series[] {
  const line = (
    label: string,
    y: string,
    of: (sample: (typeof samples)[number], i: number) => number | null,
  ) => ({
    label,
    x: "seconds since the first request",
    y,
    kind: "line" as const,
    points: samples.map((sample, i) => ({ x: sample.atMs / 1000, y: of(sample, i) })),
  });
  const seconds = (i: number) => (samples[i]!.atMs - (samples[i - 1]?.atMs ?? 0)) / 1000;
  return [
    line("Acknowledged", "per second", (sample, i) => sample.acknowledged / seconds(i)),
    ...(scene.online > 0
      ? [line("Deliveries", "per second", (sample, i) => sample.received / seconds(i))]
      : []),
    line("Server CPU", "cores", ({ cpuSeconds }, i) =>
      cpuSeconds === null ? null : cpuSeconds / seconds(i),
    ),
    line("Server memory (RSS)", "MiB", ({ rssBytes }) => (rssBytes === null ? null : rssBytes / 1024 / 1024)),
    line("Longest event-loop delay of the server", "ms", (sample) => sample.eventLoopMaxMs),
  ];
}
