import { usageError } from "../cli/exit.ts";
import {
  connecting,
  FANFARE_OPTIONS,
  fraction,
  integer,
  nap,
  PAYLOAD_OPTIONS,
  REQUEST_TIMEOUT,
  sendingThreadCount,
  text,
  threadCount,
  time,
  type OptionValues,
} from "../cli/options.ts";
import { checkConnections } from "../cli/preflight.ts";
import type { PlannedRun, RunContext } from "../cli/scenario.ts";
import { spread } from "../kernels/broadcast/percentiles.ts";
import type { LoadMeasurement } from "../kernels/requests/load-run.ts";
import type { LoadContext, LoadPlan, LoadScene } from "../kernels/requests/load.ts";
import type { RequestLoop } from "../kernels/requests/request-threads.ts";
import { applying, count, duration as durationText, serverText, short, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type Labels, type MetricTable } from "../report/metric.ts";
import { lineOver, serverLines, type ErrorRow, type Series } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";

/** The maximum number in a message's tag. */
export const MOST_REQUESTS = 10_000_000;
const MOST_IN_FLIGHT = 100_000;
const MOST_PER_SECOND = 1_000_000;
const DURATION_MS = 30_000;

type LoadFigures = LoadMeasurement["figures"];
const countsOf = ({ counts }: LoadFigures) => counts;
const deliveredOf = ({ delivered }: LoadFigures) => delivered;
const testerOf = ({ tester }: LoadFigures) => tester;

/** The metrics of every load command. */
export const LOAD: MetricTable<LoadFigures> = {
  acknowledgedPerSecond: ({ counts, answeredMs }) => per(counts.acknowledged, seconds(answeredMs)),
  deliveriesPerSecond: ({ delivered, deliveredMs }) =>
    delivered && per(delivered.received, seconds(deliveredMs)),
  ...fields(deliveredOf, "lost", "duplicates", "outOfOrder", "corrupted", "strays"),
  ...fields(countsOf, "unstored", "storedTwice", "dropped"),
  acknowledgedPerCpuSecond: ({ counts, cpuSeconds }) => per(counts.acknowledged, cpuSeconds) ?? undefined,
  deliveriesPerCpuSecond: ({ delivered, cpuSeconds }) =>
    per(delivered?.received ?? null, cpuSeconds) ?? undefined,
  ackP50Ms: ({ ack }) => ack?.p50 ?? null,
  ackP90Ms: ({ ack }) => ack?.p90 ?? null,
  ackP99Ms: ({ ack }) => ack?.p99 ?? null,
  ackP100Ms: ({ ack }) => ack?.p100 ?? null,
  deliveryP50Ms: ({ delivered }) => delivered && (delivered.full?.p50 ?? null),
  deliveryP99Ms: ({ delivered }) => delivered && (delivered.full?.p99 ?? null),
  deliveryP100Ms: ({ delivered }) => delivered && (delivered.full?.p100 ?? null),
  receivedShare: ({ delivered }) => delivered && delivered.received / delivered.expected,
  ...fields(countsOf, "sent", "acknowledged", "refused", "unanswered", "missed", "stored"),
  ...fields(deliveredOf, "expected", "received"),
  resyncs: ({ counts }) => counts.resyncs || undefined,
  registrationsPerSecond: ({ registration }) => registration.perSecond,
  serverCores: ({ cpuSeconds, answeredMs, deliveredMs }) =>
    per(cpuSeconds, seconds(Math.max(answeredMs ?? 0, deliveredMs ?? 0))) ?? undefined,
  serverCpuSeconds: ({ cpuSeconds }) => cpuSeconds ?? undefined,
  rssBytes: ({ rssBytes }) => rssBytes ?? undefined,
  rssMaxBytes: ({ samples }) => largest(samples.map(({ rssBytes }) => rssBytes)),
  loopDelayMaxMs: ({ samples }) => largest(samples.map(({ eventLoopMaxMs }) => eventLoopMaxMs)),
  ...fields(testerOf, "senderBusy", "senderWaiting", "receiverBusy", "receiverWaiting"),
  sentLateP99Ms: ({ sentLateMs }) => sentLateMs?.p99,
  ...fields(testerOf, "otherProgramsCores"),
};

export const LOAD_METRICS = metricNames(LOAD);

function per(amount: number | null, by: number | null): number | null {
  return amount === null || by === null || by <= 0 ? null : amount / by;
}

const seconds = (ms: number | null): number | null => ms && ms / 1000;

const largest = (values: readonly (number | null)[]) => spread(values.filter((value) => value !== null))?.max;

/** The options of every load of requests. */
export const LOAD_OPTIONS = {
  ...FANFARE_OPTIONS,
  rate: fraction("Load", "Open loop: a fixed rate per second; latency counts from the intended time", {
    max: MOST_PER_SECOND,
  }),
  durationMs: time("Load", "Duration of an open loop", { defaultDescription: "30s", minMs: 1 }),
  warmup: integer("Load", "Warm-up requests, at most as many as are measured", [0, MOST_REQUESTS], {
    default: 1000,
  }),
  timeoutMs: REQUEST_TIMEOUT,
  sendingThreads: text("Load", "Sending threads; auto: chosen by the machine", { default: "auto" }),
  connecting: connecting("Load"),
};

/** The same, of messages that others receive. */
export const MESSAGE_LOAD_OPTIONS = {
  ...LOAD_OPTIONS,
  ...PAYLOAD_OPTIONS,
  threads: text("Load", "Threads for users who only receive", { default: "auto" }),
  napMs: nap("Load"),
};

export const countOption = (describe: string) =>
  integer("Load", describe, [1, MOST_REQUESTS], { alias: "c" });
export const inFlightOption = (describe: string) =>
  integer("Load", describe, [1, MOST_IN_FLIGHT], { alias: "t" });

type LoadValues = OptionValues<typeof LOAD_OPTIONS>;
export type MessageLoadValues = OptionValues<typeof MESSAGE_LOAD_OPTIONS>;
type PlanValues = Pick<LoadValues, "warmup" | "timeoutMs" | "connecting" | "sendingThreads"> &
  Partial<MessageLoadValues>;

/**
 * An open loop if a rate is given, otherwise this closed one.
 * @throws {ExitError}
 */
export function loopOf(
  { rate, durationMs }: Partial<Pick<LoadValues, "rate" | "durationMs">>,
  closed: { inFlight: number; requests: number },
): RequestLoop {
  if (rate === undefined && durationMs !== undefined)
    throw usageError("--duration is for an open loop: add --rate.");
  const lastsMs = durationMs ?? DURATION_MS;
  const requests = rate === undefined ? closed.requests : Math.max(1, Math.round((rate * lastsMs) / 1000));
  if (requests < 1 || requests > MOST_REQUESTS)
    throw usageError(`A run can have 1 to ${MOST_REQUESTS} requests, but this one would have ${requests}.`);
  return rate === undefined
    ? { kind: "closed", inFlight: Math.min(closed.inFlight, requests), requests }
    : { kind: "open", perSecond: rate, durationMs: lastsMs, requests };
}

/**
 * @param people connections that send, and those that only receive
 * @throws {ExitError} naming the first invalid option
 */
export function loadPlanOf(
  values: PlanValues,
  loop: RequestLoop,
  { senders, receivers }: Pick<LoadRun, "senders" | "receivers">,
): LoadPlan {
  return {
    loop,
    warmUp: Math.min(values.warmup, loop.requests),
    timeoutMs: values.timeoutMs,
    payloadBytes: values.payloadBytes ?? 0,
    connecting: values.connecting,
    napMs: values.napMs ?? 0,
    sendingThreads: sendingThreadCount(values.sendingThreads, senders),
    receivingThreads: receivers === 0 ? 0 : threadCount(values.threads ?? "auto", receivers),
  };
}

interface LoadRun {
  title: string;
  loop: RequestLoop;
  /** Connections that send, and those that only receive. */
  senders: number;
  receivers: number;
  /** At the same time; default: the senders and receivers. */
  connections?: number;
  /** Shown in the result with the plan. */
  options: object;
  measure: (context: LoadContext & RunContext) => Promise<LoadMeasurement>;
}

/**
 * Opens the server, measures and reports.
 * @throws {ExitError} naming the first invalid option
 */
export async function planLoad(values: PlanValues & LoadValues, run: LoadRun): Promise<PlannedRun> {
  const { title, loop, senders, receivers, connections = senders + receivers } = run;
  const { url, metricsUrl } = values;
  const plan = loadPlanOf(values, loop, run);
  await checkConnections(connections, url);
  return {
    options: { ...run.options, ...plan },
    async measure(context: RunContext) {
      const target = await openFanfare(context, { url, metricsUrl, registrations: plan.connecting });
      const load = await run.measure({ ...context, target, plan });
      return {
        title,
        subtitle: [
          serverText(target),
          peopleText(load.scene),
          paceText(loop),
          `after a warm-up of ${whole(load.warmUp)}`,
          `${plan.sendingThreads} sending, ${count(plan.receivingThreads, "receiving thread")}`,
        ],
        metrics: readMetrics(LOAD, load.figures, loadLabels(load.scene, loop)),
        distributions: load.distributions,
        series: loadSeries(load),
        caveats: loadCaveats(load, context.errors.rows()),
      };
    },
  };
}

/** From this share of rejections on, the other figures say little. */
const MANY = 0.1;
/** Rates of a shorter time vary from run to run. */
const SHORTEST_MS = 10_000;

/** Rejections that are not the request's fault. */
const ADVICE: Readonly<Record<string, string>> = {
  OVERLOADED:
    "the server has a limit of requests in flight per process. It rejects at once with a retry time, which the tester obeys. To " +
    "avoid rejections, use a lower --in-flight or --rate, fewer --connections, or a server with more gateways",
  UNAVAILABLE:
    "a part of the server was busy or unavailable. Check its log, and try fewer requests in flight",
  RATE_LIMITED: "a limit per user or address: use more users, or a server with higher limits",
  TOKEN_EXPIRED: "the run outlasted an access token: use a smaller --count",
};

/** What loadCaveats needs of a measurement. */
interface JudgedFigures {
  counts: Pick<LoadFigures["counts"], "sent" | "refused" | "unanswered">;
  answeredMs: number | null;
}

/** What limits the meaning of the figures. */
export function loadCaveats(
  { figures, verdicts }: { figures: JudgedFigures; verdicts: readonly string[] },
  errors: readonly ErrorRow[],
): string[] {
  const { counts, answeredMs } = figures;
  const { sent, refused, unanswered } = counts;
  const of = (some: number) =>
    `${whole(some)} of ${count(sent, "request")} (${short((some / sent) * 100)} %)`;
  return applying(
    ...verdicts,
    refused > 0 && `${of(refused)} were rejected. They are not in the times and rates, and not retried.`,
    ...errors.map(({ code }) => refused > 0 && code in ADVICE && `${code}: ${ADVICE[code]}.`),
    refused / sent >= MANY &&
      "So many were rejected that the figures only describe the others: don't compare them.",
    unanswered > 0 && `${of(unanswered)} were not answered. They count as the slowest.`,
    answeredMs !== null &&
      answeredMs < SHORTEST_MS &&
      `The rates are averages over only ${durationText(answeredMs)}. Measure for 10 s or longer to compare them.`,
  );
}

function peopleText({ users, senders, online, channels, groups, members }: LoadScene): string {
  if (online === undefined) return count(users, "user");
  const who = `${count(senders, "sender")}, ${whole(online)} of ${count(users, "user")} online`;
  return groups === undefined
    ? `${who}, ${count(channels!, "channel")}`
    : `${who}, ${count(groups, "group")} of ${whole(members!)}`;
}

function paceText(loop: RequestLoop): string {
  const pace =
    loop.kind === "closed"
      ? `${whole(loop.inFlight)} in flight (closed loop)`
      : `${whole(loop.perSecond)}/s for ${durationText(loop.durationMs)} (open loop)`;
  return `${count(loop.requests, "request")}, ${pace}`;
}

function loadLabels({ senders, online = 0, groups, members }: LoadScene, loop: RequestLoop): Labels {
  return {
    senders,
    online,
    ...(groups !== undefined && { groups, members: members! }),
    pace: loop.kind === "closed" ? `${loop.inFlight} in flight` : `${loop.perSecond}/s`,
  };
}

function loadSeries({ figures: { samples }, scene }: LoadMeasurement): Series[] {
  const time = "seconds since the first request";
  const line = lineOver(time, samples);
  return [
    line("Acknowledged", "per second", (sample) => sample.acknowledgedPerSecond),
    ...(scene.online ? [line("Deliveries", "per second", (sample) => sample.deliveriesPerSecond)] : []),
    ...serverLines(time, samples),
  ];
}
