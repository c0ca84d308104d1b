import {
  FANFARE_OPTIONS,
  integer,
  nap,
  option,
  PAYLOAD_OPTIONS,
  text,
  threadCount,
  time,
  type OptionValues,
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
const DURATION_MS = 30_000;

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
export const LOAD_OPTIONS = {
  ...FANFARE_OPTIONS,
  rate: option(
    "Load",
    "Open loop: a fixed rate per second; latency counts from the intended time",
    "number",
    {},
    (name, rate: number) => {
      if (rate > 0 && rate <= MOST_PER_SECOND) return rate;
      throw usageError(`--${name} must be above 0 and at most ${MOST_PER_SECOND}.`);
    },
  ),
  duration: time("Load", "Duration of an open loop", { defaultDescription: "30s", minMs: 1 }),
  warmup: integer("Load", "Warm-up requests, at most as many as are measured", {
    default: 1000,
    min: 0,
    max: MOST_REQUESTS,
  }),
  timeout: time("Load", "Timeout of a request", { default: "30s", minMs: 100 }),
  "sending-threads": text("Load", "Sending threads; auto: chosen by the machine", { default: "auto" }),
  connecting: integer("Load", "Concurrent connection attempts and registrations", {
    default: 100,
    min: 1,
    max: 10_000,
  }),
};

/** The same, of messages that others receive. */
export const MESSAGE_LOAD_OPTIONS = {
  ...LOAD_OPTIONS,
  ...PAYLOAD_OPTIONS,
  threads: text("Load", "Threads for users who only receive", { default: "auto" }),
  nap: nap("Load"),
};

export const countOption = (describe: string) =>
  integer("Load", describe, { alias: "c", min: 1, max: MOST_REQUESTS });
export const inFlightOption = (describe: string) =>
  integer("Load", describe, { alias: "t", min: 1, max: MOST_IN_FLIGHT });

type LoadValues = OptionValues<typeof LOAD_OPTIONS>;
type MessageLoadValues = OptionValues<typeof MESSAGE_LOAD_OPTIONS>;

/**
 * An open loop if a rate is given, otherwise this closed one.
 * @throws {ExitError}
 */
export function loopOf(
  { rate, duration }: Pick<LoadValues, "rate" | "duration">,
  closed: { inFlight: number; requests: number },
): RequestLoop {
  if (rate === undefined) {
    if (duration !== undefined) throw usageError("--duration is for an open loop: add --rate.");
    const inFlight = Math.min(closed.inFlight, closed.requests);
    return { kind: "closed", inFlight, requests: mostRequests(closed.requests) };
  }
  const durationMs = duration ?? DURATION_MS;
  const requests = mostRequests(Math.max(1, Math.round((rate * durationMs) / 1000)));
  return { kind: "open", perSecond: rate, durationMs, requests };
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
  values: LoadValues & Partial<MessageLoadValues>,
  loop: RequestLoop,
  { senders, receivers }: { senders: number; receivers: number },
): LoadPlan {
  return {
    loop,
    warmUp: Math.min(values.warmup, loop.requests),
    timeoutMs: values.timeout,
    payloadBytes: values.payload ?? 0,
    window: values.connecting,
    napMs: values.nap ?? 0,
    sendingThreads: sendingThreadCount(values.sendingThreads, senders),
    receivingThreads: receivers === 0 ? 0 : threadCount(values.threads ?? "auto", receivers),
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
  { url, metricsUrl }: Pick<LoadValues, "url" | "metricsUrl">,
  { title, plan, options, connections, deliveries, measure }: LoadRun,
): Promise<PlannedRun> {
  checkLoadLimits({
    ...(await addressNeeds(url)),
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
