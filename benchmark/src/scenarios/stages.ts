import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { usageError } from "../cli/exit.ts";
import {
  DEFAULT_NAP_MS,
  FANFARE_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  REQUEST_TIMEOUT,
  type OptionValues,
} from "../cli/options.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { nowMs, untilAborted, waitUntil } from "../kernels/broadcast/clock.ts";
import { openChannel } from "../kernels/broadcast/measured-channel.ts";
import { percentiles, sum } from "../kernels/broadcast/percentiles.ts";
import { ofPhase, testerCaveats, watchTester, type TesterLoad } from "../kernels/broadcast/tester-watch.ts";
import {
  fetchMetrics,
  histogramChange,
  sumOf,
  type HistogramChange,
  type MetricSample,
} from "../kernels/broadcast/server-metrics.ts";
import type { HttpCall, HttpSetup } from "../kernels/requests/http-operation.ts";
import { openHttpThread, type HttpOutcome } from "../kernels/requests/http-thread.ts";
import { newRunId } from "../receivers/message-tag.ts";
import { count, serverText, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import { explain } from "../targets/fanfare/api.ts";
import { openFanfare, type FanfareTarget } from "../targets/fanfare/fanfare-target.ts";
import { registerGuests } from "../targets/fanfare/meeting.ts";
import { tokensOf } from "../targets/fanfare/session.ts";

const STAGES_OPTIONS = {
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

type StagesValues = OptionValues<typeof STAGES_OPTIONS>;
/** `pushes`: messages that each mention a member who is offline; 0: not measured. */
type StagesPlan = StagesValues & { pushes: number };

const CONNECTING = 50;
const WARM_UP = 50;
const OFFLINE_MEMBERS = 100;
const PUSHES = 1000;
/** Of each pull. */
const PULL_MESSAGES = 10;
const UPLOAD_BYTES = 100_000;
const REQUEST_METRIC = "fanfare_request_seconds";
const BY_TESTER = "the tester's clock";

/** A step of a message's path, timed or only counted by the server's own metric. */
const step = (stage: string, what: string, metric: string, labels?: Record<string, string>) => {
  return { stage, what, metric, labels };
};
type Step = ReturnType<typeof step>;

const SENDING: readonly Step[] = [
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
const UPLOAD = step("upload", `a file of ${UPLOAD_BYTES} bytes, from the request to the answer`, BY_TESTER);

type StageRow = ReturnType<typeof rowOf>;
const STAGE: MetricTable<StageRow> = {
  times: (row) => row.count,
  timesPerSecond: ({ perSecond }) => perSecond,
  timesPerCpuSecond: ({ perCpuSecond }) => perCpuSecond,
  stageMs: ({ meanMs }) => meanMs ?? undefined,
  stageP99Ms: ({ p99BelowMs }) => p99BelowMs ?? undefined,
};

const COUNTS = fields(
  (counts: Awaited<ReturnType<typeof measureStages>>["counts"]) => counts,
  ...([
    "lost",
    "duplicates",
    "corrupted",
    "dropped",
    "sent",
    "acknowledged",
    "expected",
    "received",
  ] as const),
  ...(["pulls", "pushes", "uploads"] as const),
);

export const stages = scenario({
  name: "stages",
  describe: "Where a message spends its time: send, distribute, notify, push, pull, offline push, upload",
  metrics: metricNames(STAGE, COUNTS),
  options: STAGES_OPTIONS,
  examples: [["$0 stages --users 2000", "a group of 2,000"]],
  async plan(values) {
    const { url, metricsUrl, users, inFlight } = values;
    if (url !== undefined && (values.pushes ?? 0) > 0)
      throw usageError("--pushes can't be measured with --url: the server may not connect to this machine.");
    const plan: StagesPlan = { ...values, pushes: values.pushes ?? (url === undefined ? PUSHES : 0) };
    if (url !== undefined && metricsUrl === undefined)
      throw usageError(
        "--url requires --metrics-url, for example http://127.0.0.1:3001/metrics: the times are the server's own.",
      );
    checkLimits({ users, messages: plan.messages, kind: "light", ...(await addressNeeds(url)) });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const target = await openFanfare(context, { url, metricsUrl, registrations: CONNECTING });
        const { online, seen, counts } = await measureStages(target, plan, context).catch(explain);
        const rows = seen.flatMap((one) => one.load.steps.map((step) => rowOf(one, step)));
        return {
          title: "Stages of a message",
          subtitle: [
            serverText(target),
            `${online === users ? whole(users) : `${whole(online)} of ${whole(users)}`} members online in one group`,
            `${count(inFlight, "request")} in flight`,
          ],
          metrics: [
            ...rows.flatMap((row) => readMetrics(STAGE, row, { stage: row.stage })),
            ...readMetrics(COUNTS, counts),
          ],
          tables: [
            {
              label: "What is timed, by the server's own metrics",
              rows: rows.map(({ stage, what, metric }) => [stage, `${what} (${metric})`]),
            },
          ],
          caveats: seen.flatMap(({ load, outcome, tester }) =>
            ofPhase(load.label, testerCaveats(tester, outcome.latenciesMs.at(-1))),
          ),
        };
      },
    };
  },
});

interface Load {
  /** Of its errors, and of its progress. */
  phase: string;
  label: string;
  steps: readonly Step[];
  requests: number;
  calls: readonly HttpCall[];
  message?: HttpSetup["message"];
  /** Requests before the measured ones. */
  warmUp?: number;
  /** Default: requests with an outcome. */
  done?: () => number;
  /** Waits for the last effect of the requests. */
  settle?: (acknowledged: number) => Promise<unknown>;
}

interface Observed {
  load: Load;
  outcome: HttpOutcome;
  /** Of the whole load, until the last effect of its requests. */
  seconds: number;
  before: MetricSample[];
  after: MetricSample[];
  cpuSeconds: number | null;
  tester: TesterLoad;
}

/**
 * One load after the other, with the server's own metrics for each: messages to a group, pulls, uploads, and messages that lead
 * to push notifications. On an abort signal, the result has everything up to then.
 */
async function measureStages(target: FanfareTarget, plan: StagesPlan, context: RunContext) {
  const { progress, errors, signal, defer } = context;
  const { urls, api } = target;
  const metricsUrl = plan.metricsUrl ?? target.platform!.gateways[0]!.metricsUrl;
  const meeting = await target.openMeeting(signal);
  const { channelId } = meeting;
  const work = { concurrency: CONNECTING, progress, signal };
  const register = async (count: number) =>
    tokensOf((await registerGuests(api, [meeting.code], { ...work, count })).sessions, work);
  const tokens = await register(plan.users);
  const { users, messages, payloadBytes, timeoutMs } = plan;
  const reading = { threads: 1, connecting: CONNECTING, connectTimeoutMs: timeoutMs, napMs: DEFAULT_NAP_MS };
  const place = { dialect: target.dialect, urls: urls.slice(0, 1) };
  const channel = await openChannel({ ...reading, target: place, errors, users, messages, payloadBytes });
  const { audience, runId } = channel;
  const seen: Observed[] = [];
  let isSent = false;
  let pushed = () => 0;
  await untilAborted(signal, measure()).finally(() => channel.close());
  if (plan.pushes > 0 && !signal.aborted) await untilAborted(signal, measurePushes());
  const outcomeOf = (phase: string) => seen.find(({ load }) => load.phase === phase)?.outcome;
  const sending = outcomeOf("send");
  const { sent = 0, acknowledged = 0 } = sending ?? {};
  const { memory } = audience.tally;
  const arrived = [...memory.received].filter((_, i) => sending?.isAcknowledged(i));
  const [expected, received] = [acknowledged * audience.online, sum(arrived)];
  return {
    /** Fewer than all if it was interrupted while they connected. */
    online: audience.online,
    seen,
    counts: {
      // Interrupted, missing deliveries may only be late.
      lost: isSent ? expected - received : null,
      duplicates: sum([...memory.duplicates]),
      corrupted: memory.corrupted[0]!,
      dropped: audience.dropped,
      sent,
      acknowledged,
      /** Deliveries of acknowledged messages. */
      expected,
      received,
      /** Answers to pulls, notifications received by the push service, and answers to uploads. */
      pulls: outcomeOf("pull")?.acknowledged ?? 0,
      pushes: pushed(),
      uploads: outcomeOf("upload")?.acknowledged ?? 0,
    },
  };

  async function measure(): Promise<void> {
    /** Of all members. */
    const callsOf = (path: string, call: Partial<HttpCall>) =>
      tokens.map((token) => ({ method: "POST" as const, path: `/api/${path}`, token, ...call }));
    await audience.connectAll(tokens, context);
    audience.measure(true);
    const everyMessage = [...audience.tally.memory.received.keys()];
    await observe({
      phase: "send",
      label: "sending messages",
      steps: SENDING,
      requests: plan.messages,
      calls: callsOf("message.send", { params: { channelId } }),
      message: { runId, payloadBytes },
      warmUp: WARM_UP,
      // Ends when everyone online has everything.
      settle: (acknowledged) =>
        audience.waitFor(everyMessage, plan.timeoutMs, signal, () => acknowledged < plan.messages),
    });
    isSent = !signal.aborted;
    audience.measure(false);
    const afterRev = Math.max(0, plan.messages + WARM_UP - PULL_MESSAGES);
    await observe({
      phase: "pull",
      label: "pulling",
      steps: [PULL],
      requests: plan.pulls,
      calls: callsOf("channel.sync", { params: { cursors: [{ channelId, afterRev }] } }),
    });
    if (plan.uploads === 0) return;
    await observe({
      phase: "upload",
      label: "uploading",
      steps: [UPLOAD],
      requests: plan.uploads,
      calls: callsOf(`file.upload?channelId=${channelId}&name=bench.bin`, { file: "x".repeat(UPLOAD_BYTES) }),
    });
  }

  /** Messages of the owner, each with a mention of a member who is offline and has a push subscription. */
  async function measurePushes(): Promise<void> {
    // Restarts, so that it can push to this machine, without TLS.
    await target.platform!.refresh(signal, { NODE_ENV: "development", OUTBOUND_ALLOW: "127.0.0.1" });
    const service = await startPushService();
    defer(async () => service.close());
    pushed = service.received;
    const offline = await register(OFFLINE_MEMBERS);
    const subscribe = async (token: string, i: number) => {
      await api.call("push.subscribe", service.subscription(`${i}`), token, signal);
      return (await api.call("user.me", {}, token, signal)).user.id;
    };
    const userIds = await Promise.all(offline.map(subscribe));
    const token = await meeting.owner.token();
    const call = { method: "POST", path: "/api/message.send", token, params: { channelId } } as const;
    await observe({
      phase: "push",
      label: "pushing to offline members",
      steps: [OFFLINE_PUSH],
      requests: plan.pushes,
      calls: userIds.map((id) => ({ ...call, ending: ` <@${id}>` })),
      message: { runId: newRunId(), payloadBytes },
      done: () => service.received(),
      // Ends when the push service has everything.
      settle: (acknowledged) => waitUntil(() => service.received() >= acknowledged, plan.timeoutMs, signal),
    });
  }

  /** Makes requests with a fixed number in flight. */
  async function observe(load: Load): Promise<void> {
    signal.throwIfAborted();
    const { phase, calls, message: text, warmUp = 0 } = load;
    const { inFlight, timeoutMs } = plan;
    const setup = { url: urls[0]!, connections: inFlight, calls, message: text };
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
      const receiving = phase === "send" ? () => audience.sampleLoads() : undefined;
      const watch = await watchTester({ receiving, server: target });
      const beginMs = nowMs();
      const done = load.done ?? (() => thread.settled);
      const outcome = await progress.during(load.label, load.requests, done, work);
      const seconds = (nowMs() - beginMs) / 1000;
      const { server, ...others } = await watch.end();
      const { senderBusy, senderWaiting, ...sending } = outcome.tester;
      const standstillMs = Math.max(sending.standstillMs, others.standstillMs);
      const tester = { ...others, senderBusy, senderWaiting, standstillMs };
      errors.addAll(phase, outcome.refusals);
      errors.addAll(phase, outcome.failures);
      const after = await fetchMetrics(metricsUrl);
      seen.push({ load, outcome, seconds, before, after, cpuSeconds: server!.cpuSeconds, tester });
    } finally {
      errors.addAll("connection", await thread.close());
    }
  }
}

function rowOf(observed: Observed, { stage, what, metric, labels }: Step) {
  const { outcome, cpuSeconds } = observed;
  const change = changeOf(observed, metric, labels);
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
  { outcome, before, after }: Observed,
  metric: string,
  labels?: Record<string, string>,
): HistogramChange {
  if (metric === BY_TESTER) {
    const { latenciesMs, acknowledged: count } = outcome;
    const meanMs = count === 0 ? null : sum([...latenciesMs]) / latenciesMs.length;
    return { count, meanMs, p99BelowMs: percentiles(latenciesMs)?.p99 ?? null };
  }
  if (metric.endsWith("_seconds")) return histogramChange(before, after, metric, labels);
  const count = sumOf(after, metric, labels) - sumOf(before, metric, labels);
  return { count, meanMs: null, p99BelowMs: null };
}

/** Takes the place of the push services of browsers: accepts all pushes, and counts them. */
async function startPushService() {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      received++;
      response.writeHead(201).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    received: () => received,
    /** A subscription like that of a browser, with keys of its own (RFC 8291). */
    subscription(name: string) {
      const keys = {
        p256dh: createECDH("prime256v1").generateKeys("base64url"),
        auth: randomBytes(16).toString("base64url"),
      };
      return { endpoint: `http://127.0.0.1:${port}/${name}`, keys };
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
