import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import type { HttpCall, HttpSetup } from "../requests/http-operation.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { HttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { Audience } from "../../receivers/audience.ts";
import { DEFAULT_NAP_MS } from "../../receivers/napper.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { ErrorTable } from "../broadcast/error-table.ts";
import { watchServer } from "../requests/server-watch.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { openMeeting, registerGuests, type Meeting } from "../../targets/fanfare/meeting.ts";
import {
  fetchMetrics,
  histogramChange,
  sumOf,
  type HistogramChange,
  type MetricSample,
} from "../broadcast/prometheus.ts";
import { PushService } from "./push-service.ts";

export interface StagesPlan {
  users: number;
  senders: number;
  messages: number;
  pulls: number;
  /** How many messages each pull returns. */
  pullMessages: number;
  /** Messages that each mention a member who is offline; 0: not measured. */
  pushes: number;
  uploads: number;
  uploadBytes: number;
  payloadBytes: number;
  timeoutMs: number;
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
  const { progress, errors, signal } = context;
  const { urls, api, dialect } = server.target;
  const [url] = urls as [string];
  const meeting = await openMeeting(api, signal);
  const work = { count: plan.users, concurrency: CONNECTING, progress, signal };
  const { tokens } = await registerGuests(api, meeting, work);
  const runId = newRunId();
  const audience = await Audience.start({
    urls: [url],
    dialect,
    runId,
    tally: new Tally(allocateTally(plan.users, plan.messages, nowMs())),
    workers: 1,
    window: CONNECTING,
    connectTimeoutMs: plan.timeoutMs,
    napMs: DEFAULT_NAP_MS,
  });
  const threads: HttpThread[] = [];
  /** Requests of members, with as many in flight as there are senders. */
  const open = async (path: string, call: Partial<HttpCall>, message?: HttpSetup["message"]) => {
    const calls = tokens.map((token) => ({ method: "POST" as const, path: `/api/${path}`, token, ...call }));
    const thread = await HttpThread.open({ url, connections: plan.senders, calls, message }, signal);
    threads.push(thread);
    return thread;
  };
  const run = (thread: HttpThread, requests: number, isWarmUp = false) =>
    runRequests(thread, plan, requests, isWarmUp);
  let sending: Observed | undefined;
  let pulling: Observed | undefined;
  let pushing: Observed | undefined;
  let uploading: Observed | undefined;
  try {
    await audience.connectAll(tokens, context);
    const { channelId } = meeting;
    const sender = await open(
      "message.send",
      { params: { channelId } },
      { runId, payloadBytes: plan.payloadBytes },
    );
    await run(sender, WARM_UP, true);
    signal.throwIfAborted();
    audience.measure(true);
    /** Ends when everyone online has everything. */
    const send = async () => {
      const outcome = await run(sender, plan.messages);
      if (outcome.acknowledged < plan.messages) return outcome;
      const all = [...audience.tally.memory.received.keys()];
      await audience
        .waitFor(all, plan.timeoutMs, signal, () => false)
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      return outcome;
    };
    sending = await observed(server, "send", errors, () =>
      progress.during("sending messages", plan.messages, () => sender.settled, send),
    );
    audience.measure(false);
    signal.throwIfAborted();
    const afterRev = Math.max(0, plan.messages + WARM_UP - plan.pullMessages);
    const puller = await open("channel.sync", { params: { cursors: [{ channelId, afterRev }] } });
    const pull = () => run(puller, plan.pulls);
    pulling = await observed(server, "pull", errors, () =>
      progress.during("pulling", plan.pulls, () => puller.settled, pull),
    );
    signal.throwIfAborted();
    if (plan.uploads > 0) {
      const file = "x".repeat(plan.uploadBytes);
      const uploader = await open(`file.upload?channelId=${channelId}&name=bench.bin`, { file });
      const upload = () => run(uploader, plan.uploads);
      uploading = await observed(server, "upload", errors, () =>
        progress.during("uploading", plan.uploads, () => uploader.settled, upload),
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await audience.close();
    for (const thread of threads) errors.addAll("connection", await thread.close());
  }
  let pushes = 0;
  if (plan.pushes > 0 && !signal.aborted)
    ({ pushing, pushes } = await measurePushes(server, meeting, plan, context));
  const acknowledged = sending?.outcome.acknowledged ?? 0;
  const { online } = audience;
  return {
    /** Members of one group. */
    users: plan.users,
    /** Fewer than all if it was interrupted while they connected. */
    online,
    senders: plan.senders,
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

function runRequests(
  thread: HttpThread,
  { senders, timeoutMs }: StagesPlan,
  requests: number,
  isWarmUp = false,
): Promise<HttpOutcome> {
  return thread.run({ connections: Math.min(senders, requests), requests, timeoutMs, isWarmUp });
}

/** Messages of the owner, each with a mention of a member who is offline and has a push subscription. */
async function measurePushes(
  server: StagesServer,
  meeting: Meeting,
  plan: StagesPlan,
  context: RunContext,
): Promise<{ pushing: Observed | undefined; pushes: number }> {
  const { progress, errors, signal } = context;
  // Restarts, so that it can push to this machine, without TLS.
  await server.target.platform!.refresh(signal, { NODE_ENV: "development", OUTBOUND_ALLOW: "127.0.0.1" });
  const service = await PushService.start();
  let thread: HttpThread | undefined;
  let pushing: Observed | undefined;
  try {
    const { ownerToken: token, channelId } = meeting;
    const call = { method: "POST", path: "/api/message.send", token, params: { channelId } } as const;
    const userIds = await subscribeOffline(server.target.api, meeting, service, context);
    const setup = {
      url: server.target.urls[0]!,
      connections: plan.senders,
      calls: userIds.map((id) => ({ ...call, ending: ` <@${id}>` })),
      message: { runId: newRunId(), payloadBytes: plan.payloadBytes },
    };
    thread = await HttpThread.open(setup, signal);
    /** Ends when the push service has everything. */
    const push = async () => {
      const outcome = await runRequests(thread!, plan, plan.pushes);
      const untilMs = nowMs() + plan.timeoutMs;
      while (service.received < outcome.acknowledged && nowMs() < untilMs && !signal.aborted)
        await sleep(PUSH_CHECK_MS);
      return outcome;
    };
    pushing = await observed(server, "push", errors, () =>
      progress.during("pushing to offline members", plan.pushes, () => service.received, push),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    service.close();
    errors.addAll("connection", (await thread?.close()) ?? {});
  }
  return { pushing, pushes: service.received };
}

/** Members who never connect, each with a push subscription; returns their ids. */
async function subscribeOffline(
  api: Api,
  meeting: Meeting,
  service: PushService,
  { progress, signal }: RunContext,
): Promise<string[]> {
  const work = { count: OFFLINE_MEMBERS, concurrency: CONNECTING, progress, signal };
  const { tokens } = await registerGuests(api, meeting, work);
  const subscribe = async (token: string, i: number) => {
    await api.call("push.subscribe", service.subscription(`${i}`), token, signal);
    return (await api.call("user.me", {}, token, signal)).user.id;
  };
  return Promise.all(tokens.map(subscribe));
}

interface Observed {
  outcome: HttpOutcome;
  /** Of the whole load, until the last effect of its requests. */
  seconds: number;
  before: MetricSample[];
  after: MetricSample[];
  cpuSeconds: number | null;
}

/** @param phase of its errors */
async function observed(
  { target, metricsUrl }: StagesServer,
  phase: string,
  errors: ErrorTable,
  work: () => Promise<HttpOutcome>,
): Promise<Observed> {
  const before = await fetchMetrics(metricsUrl);
  const endWatch = await watchServer(target);
  const beginMs = nowMs();
  const outcome = await work();
  const seconds = (nowMs() - beginMs) / 1000;
  const { cpuSeconds } = await endWatch();
  errors.addAll(phase, outcome.refusals);
  errors.addAll(phase, outcome.failures);
  return { outcome, seconds, before, after: await fetchMetrics(metricsUrl), cpuSeconds };
}

/** One step of a message's path, timed and counted by the server itself; uploads are timed by the tester. */
export type StageRow = ReturnType<typeof rowOf>;

/** @param row what is timed, and the server's metric for it; null: the stage has no time */
function rowOf(
  { outcome, cpuSeconds }: Observed,
  row: HistogramChange & { stage: string; what: string; metric: string },
) {
  const seconds = outcome.measuredMs / 1000;
  return {
    ...row,
    perSecond: seconds > 0 ? row.count / seconds : null,
    /** Of the CPU time that all processes of the server used meanwhile, for all stages together. */
    perCpuSecond: cpuSeconds !== null && cpuSeconds > 0 ? row.count / cpuSeconds : null,
  };
}

const PULL = {
  stage: "pull",
  what: "a channel.sync call, from arrival to answer",
  metric: "fanfare_request_seconds",
};

/** By a histogram of the server. */
function timedRow(
  observation: Observed,
  row: Pick<StageRow, "stage" | "what" | "metric">,
  labels?: Record<string, string>,
): StageRow {
  const { before, after } = observation;
  return rowOf(observation, { ...row, ...histogramChange(before, after, row.metric, labels) });
}

function sendingRows(observation: Observed): StageRow[] {
  const { before, after } = observation;
  const timed = (stage: string, what: string, metric: string, labels?: Record<string, string>) =>
    timedRow(observation, { stage, what, metric }, labels);
  const pushed = "fanfare_fanout_deliveries_total";
  return [
    timed("send", "a call, from arrival to answer", "fanfare_request_seconds", {
      action: "message.send",
    }),
    timed(
      "distribute",
      "a write of a batch of messages to the log, until it is on disk",
      "fanfare_message_commit_seconds",
    ),
    timed(
      "notify",
      "fan-out latency: a publication, until it is written to the last socket",
      "fanfare_fanout_seconds",
    ),
    rowOf(observation, {
      stage: "push",
      what: "an event with one or more messages, written to a socket",
      metric: pushed,
      count: sumOf(after, pushed) - sumOf(before, pushed),
      meanMs: null,
      p99BelowMs: null,
    }),
  ];
}

function pushRow(observation: Observed): StageRow {
  const { before, after, seconds } = observation;
  const metric = "fanfare_pushes_total";
  const sent = (samples: MetricSample[]) => sumOf(samples, metric, { outcome: "sent" });
  const count = sent(after) - sent(before);
  const row = rowOf(observation, {
    stage: "offline push",
    what: "a message that mentions a member who is offline, until their push service has the notification, in development mode",
    metric,
    count,
    meanMs: null,
    p99BelowMs: null,
  });
  return { ...row, perSecond: count / seconds };
}

function uploadRow(observation: Observed, { uploadBytes }: StagesPlan): StageRow {
  const { latenciesMs, acknowledged } = observation.outcome;
  return rowOf(observation, {
    stage: "upload",
    what: `a file of ${uploadBytes} bytes, from the request to the answer`,
    metric: "the tester's clock",
    count: acknowledged,
    meanMs: acknowledged === 0 ? null : latenciesMs.reduce((sum, ms) => sum + ms, 0) / latenciesMs.length,
    p99BelowMs: percentiles(latenciesMs)?.p99 ?? null,
  });
}
