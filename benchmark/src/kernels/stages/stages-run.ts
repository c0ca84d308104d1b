import { setTimeout as sleep } from "node:timers/promises";
import { abortable } from "../broadcast/abortable.ts";
import { nowMs } from "../broadcast/clock.ts";
import type { HttpCall, HttpSetup } from "../requests/http-operation.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { HttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { Audience } from "../../receivers/audience.ts";
import { DEFAULT_NAP_MS } from "../../receivers/napper.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { openMeeting, registerGuests, type Meeting } from "../../targets/fanfare/meeting.ts";
import { fetchMetrics, histogramChange, sumOf, type MetricSample } from "./metric-samples.ts";
import { PushService } from "./push-service.ts";
import type { StageRow, StagesMeasurement } from "./stages-result.ts";

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
  url: string;
  metricsUrl: string;
  isThrowaway: boolean;
  api: Api;
  cpuSeconds(): Promise<number | null>;
  /** Restarts the server so that it can push to this machine, without TLS. */
  allowPushes(): Promise<void>;
}

const CONNECTING = 50;
const WARM_UP = 50;
const OFFLINE_MEMBERS = 100;
const PUSH_CHECK_MS = 20;

/**
 * One load after the other, with the server's own metrics for each: messages to a group, pulls, uploads, and messages that lead
 * to push notifications.
 */
export async function measureStages(
  server: StagesServer,
  plan: StagesPlan,
  context: RunContext,
): Promise<StagesMeasurement> {
  const { progress, errors, signal } = context;
  const meeting = await openMeeting(server.api, signal);
  const guests = { users: plan.users, concurrency: CONNECTING };
  const { tokens } = await registerGuests(server.api, meeting, guests, context);
  const runId = newRunId();
  const audience = await Audience.start({
    kind: "light",
    urls: [server.url],
    dialect: "fanfare",
    runId,
    tally: new Tally(allocateTally(plan.users, plan.messages, nowMs())),
    probes: 0,
    workers: 1,
    window: CONNECTING,
    connectTimeoutMs: plan.timeoutMs,
    napMs: DEFAULT_NAP_MS,
  });
  const threads: HttpThread[] = [];
  /** Requests of members, with as many in flight as there are senders. */
  const open = async (path: string, call: Partial<HttpCall>, message?: HttpSetup["message"]) => {
    const calls = tokens.map((token) => ({ method: "POST" as const, path: `/api/${path}`, token, ...call }));
    const setup = { url: server.url, connections: plan.senders, calls, ...(message ? { message } : {}) };
    const thread = await HttpThread.open(setup, signal);
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
    await progress.during(
      "connecting",
      plan.users,
      () => audience.online,
      () => abortable(audience.connect(tokens), signal),
    );
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
      await audience.waitFor(all, plan.timeoutMs, signal, () => false).catch(ignoreAbort(signal));
      return outcome;
    };
    sending = await observed(server, () =>
      progress.during("sending messages", plan.messages, () => sender.settled, send),
    );
    audience.measure(false);
    signal.throwIfAborted();
    const afterRev = Math.max(0, plan.messages + WARM_UP - plan.pullMessages);
    const puller = await open("channel.sync", { params: { cursors: [{ channelId, afterRev }] } });
    const pull = () => run(puller, plan.pulls);
    pulling = await observed(server, () =>
      progress.during("pulling", plan.pulls, () => puller.settled, pull),
    );
    signal.throwIfAborted();
    if (plan.uploads > 0) {
      const file = "x".repeat(plan.uploadBytes);
      const uploader = await open(`file.upload?channelId=${channelId}&name=bench.bin`, { file });
      const upload = () => run(uploader, plan.uploads);
      uploading = await observed(server, () =>
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
  for (const [phase, part] of Object.entries({
    send: sending,
    pull: pulling,
    push: pushing,
    upload: uploading,
  })) {
    errors.addAll(phase, part?.outcome.refusals ?? {});
    errors.addAll(phase, part?.outcome.failures ?? {});
  }
  const acknowledged = sending?.outcome.acknowledged ?? 0;
  const { online } = audience;
  return {
    target: { name: "fanfare", url: server.url, isThrowaway: server.isThrowaway },
    users: plan.users,
    online,
    senders: plan.senders,
    rows: [
      ...(sending ? sendingRows(sending) : []),
      ...(pulling ? [pullRow(pulling)] : []),
      ...(pushing ? [pushRow(pushing)] : []),
      ...(uploading ? [uploadRow(uploading, plan)] : []),
    ],
    counts: {
      sent: sending?.outcome.sent ?? 0,
      acknowledged,
      expected: acknowledged * online,
      received: audience.tally.deliveries,
      pulls: pulling?.outcome.acknowledged ?? 0,
      pushes,
      uploads: uploading?.outcome.acknowledged ?? 0,
    },
    errors: errors.rows(),
  };
}

function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
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
  await server.allowPushes();
  const service = await PushService.start();
  let thread: HttpThread | undefined;
  let pushing: Observed | undefined;
  try {
    const { ownerToken: token, channelId } = meeting;
    const call = { method: "POST", path: "/api/message.send", token, params: { channelId } } as const;
    const userIds = await subscribeOffline(server.api, meeting, service, context);
    const setup = {
      url: server.url,
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
    pushing = await observed(server, () =>
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
  context: RunContext,
): Promise<string[]> {
  const guests = { users: OFFLINE_MEMBERS, concurrency: CONNECTING };
  const { tokens } = await registerGuests(api, meeting, guests, context);
  const subscribe = async (token: string, i: number) => {
    await api.call("push.subscribe", service.subscription(`${i}`), token, context.signal);
    return (await api.call("user.me", {}, token, context.signal)).user.id;
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

async function observed(server: StagesServer, work: () => Promise<HttpOutcome>): Promise<Observed> {
  const before = await fetchMetrics(server.metricsUrl);
  const cpuBefore = await server.cpuSeconds();
  const beginMs = nowMs();
  const outcome = await work();
  const seconds = (nowMs() - beginMs) / 1000;
  const cpuAfter = await server.cpuSeconds();
  const after = await fetchMetrics(server.metricsUrl);
  return {
    outcome,
    seconds,
    before,
    after,
    cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
  };
}

function rowOf(
  { outcome, cpuSeconds }: Observed,
  row: Pick<StageRow, "stage" | "what" | "metric" | "count" | "meanMs" | "p99BelowMs">,
): StageRow {
  const seconds = outcome.measuredMs / 1000;
  return {
    ...row,
    perSecond: seconds > 0 ? row.count / seconds : null,
    perCpuSecond: cpuSeconds !== null && cpuSeconds > 0 ? row.count / cpuSeconds : null,
  };
}

function sendingRows(observation: Observed): StageRow[] {
  const { before, after } = observation;
  const timed = (stage: StageRow["stage"], what: string, metric: string, labels?: Record<string, string>) =>
    rowOf(observation, { stage, what, metric, ...histogramChange(before, after, metric, labels) });
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

function pullRow(observation: Observed): StageRow {
  const { before, after } = observation;
  const metric = "fanfare_request_seconds";
  return rowOf(observation, {
    stage: "pull",
    what: "a channel.sync call, from arrival to answer",
    metric,
    ...histogramChange(before, after, metric, { action: "channel.sync" }),
  });
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
