import { Crowd } from "../connections/crowd.ts";
import { registerCrowd, type CrowdAccess } from "../connections/crowd-access.ts";
import { HttpLoop, type HttpLoopOutcome } from "../http/http-loop.ts";
import { encodeRequest } from "../http/light-http.ts";
import { addressOf } from "../../receivers/audience.ts";
import { newRunId, taggedContent } from "../../receivers/message-tag.ts";
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
  const load = { server, plan, access, host: await addressOf(server.url), signal };
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
    await sendLoop(load, newRunId(), WARM_UP).run();
    signal.throwIfAborted();
    crowd.measure(true);
    sending = await observed(server, () => send(load, runId, crowd, progress));
    crowd.measure(false);
    signal.throwIfAborted();
    pulling = await observed(server, () => {
      const loop = pullLoop(load);
      return progress.during(
        "pulling",
        plan.pulls,
        () => loop.settled,
        () => loop.run(),
      );
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // Closing disconnects all.
    online = crowd.online;
    for (let index = 0; index < plan.messages; index++) received += crowd.received(index);
    await crowd.close();
  }
  for (const [phase, part] of Object.entries({ send: sending, pull: pulling }))
    for (const [code, count] of Object.entries({ ...part?.outcome.refusals, ...part?.outcome.failures }))
      errors.add(phase, code, count);
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

/** Ends when everyone online has everything. */
async function send(
  load: LoadContext,
  runId: string,
  crowd: Crowd,
  progress: RunContext["progress"],
): Promise<HttpLoopOutcome> {
  const { plan, signal } = load;
  const loop = sendLoop(load, runId, plan.messages);
  return progress.during(
    "sending messages",
    plan.messages,
    () => loop.settled,
    async () => {
      const outcome = await loop.run();
      if (outcome.acknowledged < plan.messages) return outcome;
      try {
        for (let index = 0; index < plan.messages; index++)
          await crowd.waitFor(index, plan.timeoutMs, signal, () => false);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return outcome;
    },
  );
}

interface Observed {
  outcome: HttpLoopOutcome;
  before: MetricSample[];
  after: MetricSample[];
  cpuSeconds: number | null;
}

async function observed(server: StagesServer, work: () => Promise<HttpLoopOutcome>): Promise<Observed> {
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

interface LoadContext {
  server: StagesServer;
  plan: StagesPlan;
  access: CrowdAccess;
  /** The IP address of the server. */
  host: string;
  signal: AbortSignal;
}

function sendLoop(context: LoadContext, runId: string, requests: number): HttpLoop {
  const { plan, access } = context;
  return loopOf(context, "message.send", requests, (index) => ({
    channelId: access.channelId,
    content: taggedContent(runId, index, plan.payloadBytes),
    nonce: `${runId}-${index}`,
  }));
}

function pullLoop(context: LoadContext): HttpLoop {
  const { plan, access } = context;
  const afterRev = Math.max(0, plan.messages + WARM_UP - plan.pullMessages);
  const params = { cursors: [{ channelId: access.channelId, afterRev }] };
  return loopOf(context, "channel.sync", plan.pulls, () => params);
}

/** Requests of members in turn, with as many in flight as there are senders. */
function loopOf(
  { server, plan, access, host, signal }: LoadContext,
  action: string,
  requests: number,
  paramsOf: (index: number) => object,
): HttpLoop {
  const { port, host: name } = new URL(server.url);
  return new HttpLoop({
    place: { host, port: Number(port) || 80 },
    concurrency: Math.min(plan.senders, requests),
    requests,
    durationMs: Infinity,
    timeoutMs: plan.timeoutMs,
    request: (index) => {
      const token = access.tokens[index % access.tokens.length]!;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return encodeRequest("POST", `/api/${action}`, name, headers, JSON.stringify(paramsOf(index)));
    },
    faultOf: ({ status, body }) => {
      if (status === 200) return undefined;
      return { code: /"type":"([A-Z_]+)"/.exec(body.toString("latin1"))?.[1] ?? `HTTP_${status}`, waitMs: 0 };
    },
    signal,
  });
}
