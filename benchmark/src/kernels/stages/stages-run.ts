import { Crowd } from "../connections/crowd.ts";
import { registerCrowd } from "../connections/crowd-access.ts";
import type { HttpSetup } from "../requests/http-operation.ts";
import { HttpThread, type HttpOutcome } from "../requests/http-thread.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { Api } from "../../targets/fanfare/api.ts";
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
  let done = 0;
  const { access } = await progress.during(
    "registering guests",
    plan.users,
    () => done,
    () => registerCrowd(server.api, { users: plan.users, concurrency: CONNECTING }, signal, () => done++),
  );
  const runId = newRunId();
  const crowd = new Crowd({
    urls: [server.url],
    dialect: "fanfare",
    runId,
    messages: plan.messages,
    processes: 1,
    window: CONNECTING,
    connectTimeoutMs: plan.timeoutMs,
    napMs: 1,
  });
  const threads: HttpThread[] = [];
  /** Requests of members, with as many in flight as there are senders. */
  const open = async (action: string, params: object, message?: HttpSetup["message"]) => {
    const calls = access.tokens.map((token) => {
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
  let [online, received] = [0, 0];
  try {
    await progress.during(
      "connecting",
      plan.users,
      () => crowd.online,
      () => crowd.connect(access.tokens, signal),
    );
    const { channelId } = access;
    const sender = await open("message.send", { channelId }, { runId, payloadBytes: plan.payloadBytes });
    await run(sender, WARM_UP, true);
    signal.throwIfAborted();
    crowd.measure(true);
    /** Ends when everyone online has everything. */
    const send = async () => {
      const outcome = await run(sender, plan.messages);
      if (outcome.acknowledged < plan.messages) return outcome;
      for (let index = 0; index < plan.messages && !signal.aborted; index++)
        await crowd.waitFor(index, plan.timeoutMs, signal, () => false).catch(ignoreAbort(signal));
      return outcome;
    };
    sending = await observed(server, () =>
      progress.during("sending messages", plan.messages, () => sender.settled, send),
    );
    crowd.measure(false);
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
    // Closing disconnects all.
    online = crowd.online;
    for (let index = 0; index < plan.messages; index++) received += crowd.received(index);
    await crowd.close();
    for (const thread of threads) errors.addAll("connection", await thread.close());
  }
  for (const [phase, part] of Object.entries({ send: sending, pull: pulling })) {
    errors.addAll(phase, part?.outcome.refusals ?? {});
    errors.addAll(phase, part?.outcome.failures ?? {});
  }
  const acknowledged = sending?.outcome.acknowledged ?? 0;
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
      received,
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
