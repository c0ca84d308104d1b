import { abortable } from "../broadcast/abortable.ts";
import { nowMs } from "../broadcast/clock.ts";
import type { HttpSetup } from "../requests/http-operation.ts";
import { HttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { Audience } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { openMeeting, registerGuests } from "../../targets/fanfare/meeting.ts";
import { fetchMetrics, histogramChange, sumOf, type MetricSample } from "./metric-samples.ts";
import type { StageRow, StagesMeasurement } from "./stages-result.ts";

export interface StagesPlan {
  users: number;
  senders: number;
  messages: number;
  pulls: number;
  /** How many messages each pull returns. */
  pullMessages: number;
  payloadBytes: number;
  timeoutMs: number;
}

export interface StagesServer {
  url: string;
  metricsUrl: string;
  isThrowaway: boolean;
  api: Api;
  cpuSeconds(): Promise<number | null>;
}

const CONNECTING = 50;
const WARM_UP = 50;

/** Two loads one after the other, with the server's own metrics for each: messages to a group, and pulls. */
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
    napMs: 0.3,
  });
  const threads: HttpThread[] = [];
  /** Requests of members, with as many in flight as there are senders. */
  const open = async (action: string, params: object, message?: HttpSetup["message"]) => {
    const calls = tokens.map((token) => {
      return { method: "POST" as const, path: `/api/${action}`, token, params };
    });
    const setup = { url: server.url, connections: plan.senders, calls, ...(message ? { message } : {}) };
    const thread = await HttpThread.open(setup, signal);
    threads.push(thread);
    return thread;
  };
  const run = (thread: HttpThread, requests: number, isWarmUp = false) =>
    thread.run({
      connections: Math.min(plan.senders, requests),
      requests,
      timeoutMs: plan.timeoutMs,
      isWarmUp,
    });
  let sending: Observed | undefined;
  let pulling: Observed | undefined;
  try {
    await progress.during(
      "connecting",
      plan.users,
      () => audience.online,
      () => abortable(audience.connect(tokens), signal),
    );
    const { channelId } = meeting;
    const sender = await open("message.send", { channelId }, { runId, payloadBytes: plan.payloadBytes });
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
    const puller = await open("channel.sync", { cursors: [{ channelId, afterRev }] });
    const pull = () => run(puller, plan.pulls);
    pulling = await observed(server, () =>
      progress.during("pulling", plan.pulls, () => puller.settled, pull),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await audience.close();
    for (const thread of threads) errors.addAll("connection", await thread.close());
  }
  for (const [phase, part] of Object.entries({ send: sending, pull: pulling })) {
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
    rows: [...(sending ? sendingRows(sending) : []), ...(pulling ? [pullRow(pulling)] : [])],
    counts: {
      sent: sending?.outcome.sent ?? 0,
      acknowledged,
      expected: acknowledged * online,
      received: audience.tally.deliveries,
      pulls: pulling?.outcome.acknowledged ?? 0,
    },
    cpuSeconds: { sending: sending?.cpuSeconds ?? null, pulling: pulling?.cpuSeconds ?? null },
    errors: errors.rows(),
  };
}

function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

interface Observed {
  outcome: HttpOutcome;
  before: MetricSample[];
  after: MetricSample[];
  cpuSeconds: number | null;
}

async function observed(server: StagesServer, work: () => Promise<HttpOutcome>): Promise<Observed> {
  const before = await fetchMetrics(server.metricsUrl);
  const cpuBefore = await server.cpuSeconds();
  const outcome = await work();
  const cpuAfter = await server.cpuSeconds();
  const after = await fetchMetrics(server.metricsUrl);
  return {
    outcome,
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
