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
import { openMeeting, registerGuests, type Meeting } from "../../targets/fanfare/meeting.ts";
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
import { HttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { PushService } from "./push-service.ts";

export const STAGES_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: integer("Who", "Members online in one group", [1, 15_000], { default: 500, alias: "u" }),
  inFlight: integer("Load", "Requests in flight", [1, 5000], { default: 20, alias: "t" }),
  messages: integer("Load", "Messages to the group", [1, 100_000], { default: 2000, alias: "m" }),
  pulls: integer("Load", "Pulls of missed messages, afterwards", [1, 1_000_000], { default: 5000 }),
  pullMessages: integer("Load", "Messages per pull", [0, 200], { default: 10 }),
  pushes: integer(
    "Load",
    "Push notifications to offline members; only of a server started for the run; default: 1000",
    [0, 20_000],
  ),
  uploads: integer("Load", "Files that members upload", [0, 100_000], { default: 500 }),
  "upload-bytes": integer("Load", "Size of each file", [1, 10_000_000], { default: 100_000 }),
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

export type StagesMeasurement = Awaited<ReturnType<typeof measureStages>>;

/**
 * One load after the other, with the server's own metrics for each: messages to a group, pulls, uploads, and messages that lead
 * to push notifications.
 */
export async function measureStages(server: StagesServer, plan: StagesPlan, context: RunContext) {
  const { progress, signal } = context;
  const { urls, api, dialect } = server.target;
  const meeting = await openMeeting(api, signal);
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
    audience.measure(false);
    const afterRev = Math.max(0, plan.messages + WARM_UP - plan.pullMessages);
    seen.pulling = await observe(server, plan, context, {
      phase: "pull",
      label: "pulling",
      requests: plan.pulls,
      calls: callsOf("channel.sync", { params: { cursors: [{ channelId, afterRev }] } }),
    });
    if (plan.uploads === 0) return;
    const file = "x".repeat(plan["upload-bytes"]);
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
  return {
    /** Members of one group. */
    users: plan.users,
    /** Fewer than all if it was interrupted while they connected. */
    online,
    inFlight: plan.inFlight,
    rows: [
      ...(sending ? sendingRows(sending) : []),
      ...(pulling ? [timedRow(pulling, PULL, { action: "channel.sync" })] : []),
      ...(pushing ? [pushRow(pushing)] : []),
      ...(uploading ? [uploadRow(uploading, plan)] : []),
    ],
    counts: {
      sent: sending?.outcome.sent ?? 0,
      acknowledged,
      expected: acknowledged * online,
      received: audience.tally.deliveries,
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
  const thread = await HttpThread.open(setup, signal);
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
    const { cpuSeconds } = await endWatch();
    errors.addAll(phase, outcome.refusals);
    errors.addAll(phase, outcome.failures);
    return { outcome, seconds, before, after: await fetchMetrics(metricsUrl), cpuSeconds };
  } finally {
    errors.addAll("connection", await thread.close());
  }
}

/** One step of a message's path, timed and counted by the server itself; uploads are timed by the tester. */
export type StageRow = ReturnType<typeof rowOf>;
/** What is timed, and the server's metric for it. */
type Step = Record<"stage" | "what" | "metric", string>;

function rowOf({ outcome, cpuSeconds }: Observed, step: Step, change: HistogramChange) {
  const seconds = outcome.measuredMs / 1000;
  return {
    ...step,
    ...change,
    perSecond: seconds > 0 ? change.count / seconds : null,
    /** Of the CPU time that all processes of the server used meanwhile, for all stages together. */
    perCpuSecond: cpuSeconds !== null && cpuSeconds > 0 ? change.count / cpuSeconds : null,
  };
}

/** By a histogram of the server. */
function timedRow(observed: Observed, step: Step, labels?: Record<string, string>): StageRow {
  return rowOf(observed, step, histogramChange(observed.before, observed.after, step.metric, labels));
}

/** By a counter of the server: without a time. */
function countedRow(observed: Observed, step: Step, labels?: Record<string, string>): StageRow {
  const [before, after] = [observed.before, observed.after].map((all) => sumOf(all, step.metric, labels));
  return rowOf(observed, step, { count: after! - before!, meanMs: null, p99BelowMs: null });
}

const REQUEST_METRIC = "fanfare_request_seconds";
const PULL = { stage: "pull", what: "a channel.sync call, from arrival to answer", metric: REQUEST_METRIC };

function sendingRows(observed: Observed): StageRow[] {
  return [
    timedRow(
      observed,
      { stage: "send", what: "a call, from arrival to answer", metric: REQUEST_METRIC },
      { action: "message.send" },
    ),
    timedRow(observed, {
      stage: "distribute",
      what: "a write of a batch of messages to the log, until it is on disk",
      metric: "fanfare_message_commit_seconds",
    }),
    timedRow(observed, {
      stage: "notify",
      what: "fan-out latency: a publication, until it is written to the last socket",
      metric: "fanfare_fanout_seconds",
    }),
    countedRow(observed, {
      stage: "push",
      what: "an event with one or more messages, written to a socket",
      metric: "fanfare_fanout_deliveries_total",
    }),
  ];
}

function pushRow(observed: Observed): StageRow {
  const step = {
    stage: "offline push",
    what: "a message that mentions a member who is offline, until their push service has the notification, in development mode",
    metric: "fanfare_pushes_total",
  };
  const row = countedRow(observed, step, { outcome: "sent" });
  return { ...row, perSecond: row.count / observed.seconds };
}

function uploadRow(observed: Observed, { "upload-bytes": uploadBytes }: StagesPlan): StageRow {
  const { latenciesMs, acknowledged } = observed.outcome;
  const what = `a file of ${uploadBytes} bytes, from the request to the answer`;
  const step = { stage: "upload", what, metric: "the tester's clock" };
  return rowOf(observed, step, {
    count: acknowledged,
    meanMs: acknowledged === 0 ? null : latenciesMs.reduce((sum, ms) => sum + ms, 0) / latenciesMs.length,
    p99BelowMs: percentiles(latenciesMs)?.p99 ?? null,
  });
}
