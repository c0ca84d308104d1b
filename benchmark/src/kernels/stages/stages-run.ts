import { setTimeout as sleep } from "node:timers/promises";
import {
  FANFARE_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  REQUEST_TIMEOUT,
  type OptionValues,
} from "../../cli/options.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { Audience } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { DEFAULT_NAP_MS } from "../../receivers/napper.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { registerGuests, type Meeting } from "../../targets/fanfare/meeting.ts";
import { nowMs, untilAborted } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { watchServer } from "../broadcast/resource-use.ts";
import {
  fetchMetrics,
  histogramChange,
  sumOf,
  type HistogramChange,
  type MetricSample,
} from "../broadcast/server-metrics.ts";
import type { HttpCall, HttpSetup } from "../requests/http-operation.ts";
import { openHttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { PushService } from "./push-service.ts";

export const STAGES_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: integer("Who", "Members online in one group", [1, 15_000], { default: 500, alias: "u" }),
  inFlight: integer("Load", "Requests in flight", [1, 5000], { default: 20, alias: "t" }),
  messages: integer("Load", "Messages to the group", [1, 100_000], { default: 2000, alias: "m" }),
  pulls: integer("Load", "Pulls of missed messages, afterwards", [1, 1_000_000], { default: 5000 }),
  pushes: integer(
    "Load",
    "Push notifications to offline members; only of a server started for the run; default: 1000",
    [0, 20_000],
  ),
  uploads: integer("Load", "Files that members upload", [0, 100_000], { default: 500 }),
  timeoutMs: REQUEST_TIMEOUT,
};

export interface StagesPlan extends OptionValues<typeof STAGES_OPTIONS> {
  /** Messages that each mention a member who is offline; 0: not measured. */
  pushes: number;
}

export interface StagesServer {
  target: FanfareTarget;
  metricsUrl: string;
}

const CONNECTING = 50;
const WARM_UP = 50;
const OFFLINE_MEMBERS = 100;
const PUSH_CHECK_MS = 20;
/** Of each pull. */
const PULL_MESSAGES = 10;
const UPLOAD_BYTES = 100_000;

export type StagesMeasurement = Awaited<ReturnType<typeof measureStages>>;

/**
 * One load after the other, with the server's own metrics for each: messages to a group, pulls, uploads, and messages that lead
 * to push notifications.
 */
export async function measureStages(server: StagesServer, plan: StagesPlan, context: RunContext) {
  const { progress, signal } = context;
  const { urls, api, dialect } = server.target;
  const meeting = await server.target.openMeeting(signal);
  const { channelId } = meeting;
  const work = { count: plan.users, concurrency: CONNECTING, progress, signal };
  const { tokens } = await registerGuests(api, meeting, work);
  const message = { runId: newRunId(), payloadBytes: plan.payloadBytes };
  const audience = await Audience.start({
    urls: urls.slice(0, 1),
    dialect,
    runId: message.runId,
    tally: new Tally(allocateTally(plan.users, plan.messages, nowMs())),
    threads: 1,
    connecting: CONNECTING,
    connectTimeoutMs: plan.timeoutMs,
    napMs: DEFAULT_NAP_MS,
  });
  /** Of all members. */
  const callsOf = (path: string, call: Partial<HttpCall>) =>
    tokens.map((token) => ({ method: "POST" as const, path: `/api/${path}`, token, ...call }));
  const seen: { sending?: Observed; pulling?: Observed; pushing?: Observed; uploading?: Observed } = {};
  let isSent = false;
  let pushes = 0;
  const measure = async () => {
    await audience.connectAll(tokens, context);
    audience.measure(true);
    const everyMessage = [...audience.tally.memory.received.keys()];
    seen.sending = await observe(server, plan, context, {
      phase: "send",
      label: "sending messages",
      requests: plan.messages,
      calls: callsOf("message.send", { params: { channelId } }),
      message,
      warmUp: WARM_UP,
      // Ends when everyone online has everything.
      settle: (acknowledged) =>
        audience.waitFor(everyMessage, plan.timeoutMs, signal, () => acknowledged < plan.messages),
    });
    isSent = !signal.aborted;
    audience.measure(false);
    const afterRev = Math.max(0, plan.messages + WARM_UP - PULL_MESSAGES);
    seen.pulling = await observe(server, plan, context, {
      phase: "pull",
      label: "pulling",
      requests: plan.pulls,
      calls: callsOf("channel.sync", { params: { cursors: [{ channelId, afterRev }] } }),
    });
    if (plan.uploads === 0) return;
    const file = "x".repeat(UPLOAD_BYTES);
    seen.uploading = await observe(server, plan, context, {
      phase: "upload",
      label: "uploading",
      requests: plan.uploads,
      calls: callsOf(`file.upload?channelId=${channelId}&name=bench.bin`, { file }),
    });
  };
  try {
    await untilAborted(signal, measure());
  } finally {
    await audience.close();
  }
  if (plan.pushes > 0 && !signal.aborted) {
    // Restarts, so that it can push to this machine, without TLS.
    await server.target.platform!.refresh(signal, { NODE_ENV: "development", OUTBOUND_ALLOW: "127.0.0.1" });
    const service = await PushService.start();
    const push = async () => (seen.pushing = await measurePushes(server, meeting, plan, service, context));
    await untilAborted(signal, push()).finally(() => service.close());
    pushes = service.received;
  }
  const { sending, pulling, pushing, uploading } = seen;
  const acknowledged = sending?.outcome.acknowledged ?? 0;
  const { online } = audience;
  const received = audience.tally.memory.received.reduce(
    (sum, count, i) => (sending?.outcome.isAcknowledged(i) ? sum + count : sum),
    0,
  );
  return {
    /** Members of one group. */
    users: plan.users,
    /** Fewer than all if it was interrupted while they connected. */
    online,
    inFlight: plan.inFlight,
    /** Cores used by unrelated programs, in the stage with most. */
    otherProgramsCores: Math.max(0, ...Object.values(seen).map((one) => one.otherProgramsCores ?? 0)),
    rows: [
      ...(sending ? SENDING.map((step) => rowOf(sending, step)) : []),
      ...(pulling ? [rowOf(pulling, PULL)] : []),
      ...(pushing ? [rowOf(pushing, OFFLINE_PUSH)] : []),
      ...(uploading ? [rowOf(uploading, UPLOAD)] : []),
    ],
    counts: {
      sent: sending?.outcome.sent ?? 0,
      acknowledged,
      /** Deliveries of acknowledged messages. */
      expected: acknowledged * online,
      received,
      /** null: interrupted, so that missing deliveries may only be late. */
      lost: isSent ? acknowledged * online - received : null,
      /** Answers to pulls. */
      pulls: pulling?.outcome.acknowledged ?? 0,
      /** Received by the push service. */
      pushes,
      uploads: uploading?.outcome.acknowledged ?? 0,
    },
  };
}

/** Messages of the owner, each with a mention of a member who is offline and has a push subscription. */
async function measurePushes(
  server: StagesServer,
  meeting: Meeting,
  plan: StagesPlan,
  service: PushService,
  context: RunContext,
): Promise<Observed> {
  const { progress, signal } = context;
  const { api } = server.target;
  const { ownerToken: token, channelId } = meeting;
  const work = { count: OFFLINE_MEMBERS, concurrency: CONNECTING, progress, signal };
  const { tokens } = await registerGuests(api, meeting, work);
  const subscribe = async (offline: string, i: number) => {
    await api.call("push.subscribe", service.subscription(`${i}`), offline, signal);
    return (await api.call("user.me", {}, offline, signal)).user.id;
  };
  const userIds = await Promise.all(tokens.map(subscribe));
  const call = { method: "POST", path: "/api/message.send", token, params: { channelId } } as const;
  return observe(server, plan, context, {
    phase: "push",
    label: "pushing to offline members",
    requests: plan.pushes,
    calls: userIds.map((id) => ({ ...call, ending: ` <@${id}>` })),
    message: { runId: newRunId(), payloadBytes: plan.payloadBytes },
    done: () => service.received,
    // Ends when the push service has everything.
    async settle(acknowledged) {
      const untilMs = nowMs() + plan.timeoutMs;
      while (service.received < acknowledged && nowMs() < untilMs)
        await sleep(PUSH_CHECK_MS, undefined, { signal });
    },
  });
}

interface Load {
  /** Of its errors. */
  phase: string;
  /** Of its progress. */
  label: string;
  requests: number;
  calls: readonly HttpCall[];
  message?: HttpSetup["message"];
  /** Requests before the measured ones. */
  warmUp?: number;
  /** Default: requests with an outcome. */
  done?: () => number;
  /** Waits for the last effect of the requests. */
  settle?: (acknowledged: number) => Promise<void>;
}

interface Observed {
  outcome: HttpOutcome;
  /** Of the whole load, until the last effect of its requests. */
  seconds: number;
  before: MetricSample[];
  after: MetricSample[];
  cpuSeconds: number | null;
  otherProgramsCores: number | null;
}

/** Makes requests with a fixed number in flight. */
async function observe(
  { target, metricsUrl }: StagesServer,
  { inFlight, timeoutMs }: StagesPlan,
  { progress, errors, signal }: RunContext,
  load: Load,
): Promise<Observed> {
  signal.throwIfAborted();
  const { phase, calls, message, warmUp = 0 } = load;
  const setup = { url: target.urls[0]!, connections: inFlight, calls, message };
  const thread = await openHttpThread(setup, signal);
  const run = (requests: number, isWarmUp = false) =>
    thread.run({ connections: Math.min(inFlight, requests), requests, timeoutMs, isWarmUp });
  const work = async () => {
    const outcome = await run(load.requests);
    if (load.settle) await untilAborted(signal, load.settle(outcome.acknowledged));
    return outcome;
  };
  try {
    if (warmUp > 0) await run(warmUp, true);
    signal.throwIfAborted();
    const before = await fetchMetrics(metricsUrl);
    const endWatch = await watchServer(target);
    const beginMs = nowMs();
    const done = load.done ?? (() => thread.settled);
    const outcome = await progress.during(load.label, load.requests, done, work);
    const seconds = (nowMs() - beginMs) / 1000;
    const { cpuSeconds, otherProgramsCores } = await endWatch();
    errors.addAll(phase, outcome.refusals);
    errors.addAll(phase, outcome.failures);
    return {
      outcome,
      seconds,
      before,
      after: await fetchMetrics(metricsUrl),
      cpuSeconds,
      otherProgramsCores,
    };
  } finally {
    errors.addAll("connection", await thread.close());
  }
}

const REQUEST_METRIC = "fanfare_request_seconds";

/** A step of a message's path, timed or only counted by the server's own metric. */
interface Step {
  stage: string;
  what: string;
  metric: string;
  labels?: Record<string, string>;
}

const step = (stage: string, what: string, metric: string, labels?: Step["labels"]): Step => {
  return { stage, what, metric, ...(labels && { labels }) };
};

const SENDING = [
  step("send", "a call, from arrival to answer", REQUEST_METRIC, { action: "message.send" }),
  step(
    "distribute",
    "a write of a batch of messages to the log, until it is on disk",
    "fanfare_message_commit_seconds",
  ),
  step(
    "notify",
    "fan-out latency: a publication, until it is written to the last socket",
    "fanfare_fanout_seconds",
  ),
  step("push", "an event with one or more messages, written to a socket", "fanfare_fanout_deliveries_total"),
];
const PULL = step("pull", "a channel.sync call, from arrival to answer", REQUEST_METRIC, {
  action: "channel.sync",
});
const OFFLINE_PUSH = step(
  "offline push",
  "a message that mentions a member who is offline, until their push service has the notification, in development mode",
  "fanfare_pushes_total",
  { outcome: "sent" },
);
const BY_TESTER = "the tester's clock";
const UPLOAD = step("upload", `a file of ${UPLOAD_BYTES} bytes, from the request to the answer`, BY_TESTER);

export type StageRow = ReturnType<typeof rowOf>;

function rowOf(observed: Observed, { stage, what, metric, labels }: Step) {
  const { outcome, cpuSeconds } = observed;
  const change = metric === BY_TESTER ? timedByTester(outcome) : changeOf(observed, metric, labels);
  // Fan-out and push notifications go on after the last answer.
  const seconds = metric === REQUEST_METRIC ? outcome.measuredMs / 1000 : observed.seconds;
  return {
    stage,
    what,
    metric,
    ...change,
    perSecond: seconds > 0 ? change.count / seconds : null,
    /** Of the CPU time that all processes of the server used meanwhile, for all stages together. */
    perCpuSecond: cpuSeconds !== null && cpuSeconds > 0 ? change.count / cpuSeconds : null,
  };
}

/** Counters have no time. */
function changeOf(
  { before, after }: Observed,
  metric: string,
  labels?: Record<string, string>,
): HistogramChange {
  if (metric.endsWith("_seconds")) return histogramChange(before, after, metric, labels);
  const count = sumOf(after, metric, labels) - sumOf(before, metric, labels);
  return { count, meanMs: null, p99BelowMs: null };
}

function timedByTester({ latenciesMs, acknowledged }: HttpOutcome): HistogramChange {
  return {
    count: acknowledged,
    meanMs: acknowledged === 0 ? null : latenciesMs.reduce((sum, ms) => sum + ms, 0) / latenciesMs.length,
    p99BelowMs: percentiles(latenciesMs)?.p99 ?? null,
  };
}
