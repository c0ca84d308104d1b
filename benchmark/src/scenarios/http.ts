import { randomInt } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../cli/exit.ts";
import {
  FANFARE_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  REQUEST_TIMEOUT,
  type OptionValues,
} from "../cli/options.ts";
import { checkConnections } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { rankOf, sum } from "../kernels/broadcast/percentiles.ts";
import { measureLoad } from "../kernels/requests/load-run.ts";
import { doAll, loadGuests, type LoadContext } from "../kernels/requests/load.ts";
import type { HttpCall } from "../kernels/requests/http-operation.ts";
import { httpThreads } from "../kernels/requests/http-thread.ts";
import { readBack } from "../kernels/requests/scenes.ts";
import { ackTimes, allocateRequests } from "../kernels/requests/request-memory.ts";
import { newRunId } from "../receivers/message-tag.ts";
import { applying, count, serverText, whole } from "../report/format.ts";
import { metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { LOAD, loadCaveats, loadPlanOf, loopOf } from "./load.ts";

const MOST_REQUESTS = 10_000_000;

const HTTP_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...PAYLOAD_OPTIONS,
  connections: integer("Load", "Connections, each with one request in flight", [1, 15_000], {
    default: 1000,
  }),
  count: integer("Load", "Requests in total", [1, MOST_REQUESTS], { alias: "c", default: 20_000 }),
  warmup: integer("Load", "Warm-up requests, not counted", [0, MOST_REQUESTS], { default: 1000 }),
  users: integer("Who", "Users who send and receive", [2, 100_000], { alias: "u", default: 500 }),
  channels: integer("Who", "Direct channels between two of the users", [1, 100_000], { default: 1000 }),
  timeoutMs: REQUEST_TIMEOUT,
};

/** Concurrent registrations and read-back calls. */
const CALLS = 50;
/** The percentiles that `ab` prints. */
const AB_PERCENTILES = [50, 66, 75, 80, 90, 95, 98, 99, 100];
/** Bytes per block in `blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

type HttpMeasurement = Awaited<ReturnType<typeof measureHttp>>;

/** `ab -k` against the endpoint that sends a direct message, with random senders and receivers. */
async function measureHttp(context: LoadContext, plan: OptionValues<typeof HTTP_OPTIONS>) {
  const { target, signal } = context;
  const { connections, payloadBytes, users } = plan;
  const { pairs, registration } = await openPairs(context, plan);
  const calls = pairs.flatMap(({ id: channelId, both }) =>
    both.map((): HttpCall => ({ method: "POST", path: "/api/message.send", params: { channelId } })),
  );
  const message = { runId: newRunId(), payloadBytes };
  const threads = await httpThreads({ url: target.urls[0]!, connections, calls, message }, signal);
  const memory = allocateRequests(plan.count);
  const written = async () => ({
    messages: await storedIn(context, pairs),
    bytes: target.platform && folderBytes(target.platform.folder),
  });
  let before: Awaited<ReturnType<typeof written>> | undefined;
  let after: typeof before;
  const load = await measureLoad(context, {
    name: "send",
    threads,
    memory,
    scene: { users, senders: connections, channels: pairs.length },
    registration,
    callers: pairs.flatMap(({ both }) => both),
    connect: () => threads.prepare(),
    begin: async () => void (before = await written()),
    end: async () => void (after = await written()),
    readBack: () => readBack(context, pairs, message.runId, memory),
  });
  return {
    load,
    /** What all channels grew by; undefined: interrupted. */
    stored: before && after && after.messages - before.messages,
    /** That the server's files grew by; NaN: unknown. */
    diskBytes: (after?.bytes ?? NaN) - (before?.bytes ?? NaN),
    acks: ackTimes(memory),
  };
}

/** Guests, and direct channels between random pairs of them. Both can send. */
async function openPairs(
  context: LoadContext,
  { users: count, channels }: Record<"users" | "channels", number>,
) {
  const { target, signal } = context;
  const { code } = await target.openMeeting(signal);
  const { guests, sessions, registration } = await loadGuests(context, count, [code]);
  const opened = await doAll(context, "opening channels", channels, async () => {
    const first = randomInt(count);
    const second = (first + 1 + randomInt(count - 1)) % count;
    const reader = sessions[first]!;
    const { id: userId } = guests[second]!.user;
    const token = await reader.token();
    const { channel } = await target.api.call("channel.openDirect", { userId }, token, signal);
    return { id: channel.id, both: [reader, sessions[second]!], reader };
  });
  // The same pair may have been drawn twice.
  const pairs = [...new Map(opened.users.map((pair) => [pair.id, pair])).values()];
  return { pairs, registration };
}

type Pairs = Awaited<ReturnType<typeof openPairs>>["pairs"];

/** Messages in all channels: each counts its own. */
async function storedIn(context: LoadContext, pairs: Pairs): Promise<number> {
  const { api } = context.target;
  const { users: counts } = await doAll(context, "counting stored messages", pairs.length, async (index) => {
    const { id: channelId, reader } = pairs[index]!;
    return (await api.call("message.list", { channelId, limit: 1 }, await reader.token())).head.seq;
  });
  return sum(counts);
}

/** Disk usage of a folder's files. */
function folderBytes(folder: string): number {
  // A file may have been deleted meanwhile.
  const stats = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(folder, name), { throwIfNoEntry: false }),
  );
  return sum(stats.map((stat) => (stat?.isFile() ? stat.blocks * BLOCK_BYTES : 0)));
}

/** Besides the metrics of every load. */
const HTTP: MetricTable<HttpMeasurement> = {
  // From the first request until all of them were in the database: null if a queue behind the last response still held some.
  storedPerSecond({ stored = -1, load: { figures } }) {
    const isBehind = stored < figures.counts.acknowledged;
    return !isBehind && figures.answeredMs ? (stored * 1000) / figures.answeredMs : null;
  },
  bytesPerMillion: ({ stored, diskBytes }) =>
    stored && !Number.isNaN(diskBytes) ? (diskBytes / stored) * 1e6 : undefined,
};

export const http = scenario({
  name: "http",
  describe: "Direct messages over HTTP, like `ab -k`, and how fast they are stored",
  metrics: metricNames(LOAD, HTTP),
  options: HTTP_OPTIONS,
  examples: [
    ["$0 http --connections 10000 -c 100000", "as `ab -k -c 10000 -n 100000`"],
    ["$0 http --threshold 'unstored==0' --threshold 'refused==0'", "for CI"],
  ],
  async plan(values) {
    const { connections, count: requests, url, metricsUrl } = values;
    if (connections > requests)
      throw usageError(`--connections ${connections} needs at least as many requests (--count): one each.`);
    await checkConnections(connections, url);
    const loop = loopOf({}, { inFlight: connections, requests });
    const size = { senders: connections, receivers: 0 };
    const plan = loadPlanOf({ ...values, connecting: CALLS, sendingThreads: "1" }, loop, size);
    return {
      options: values,
      async measure(context: RunContext) {
        const target = await openFanfare(context, { url, metricsUrl, registrations: CALLS });
        const measured = await measureHttp({ ...context, target, plan }, values);
        const { scene, figures, warmUp } = measured.load;
        return {
          title: "Direct messages by HTTP, POST /api/message.send",
          subtitle: [
            serverText(target),
            `${count(requests, "request")}, ${count(connections, "connection")}, after a warm-up of ${whole(warmUp)}`,
            `${count(scene.users, "user")}, ${count(scene.channels!, "direct channel")}, random sender and receiver`,
          ],
          metrics: [
            ...readMetrics(LOAD, figures, { connections }),
            ...readMetrics(HTTP, measured, { connections }),
          ],
          tables: abTable(measured),
          caveats: applying(
            ...loadCaveats(measured.load, context.errors.rows()),
            measured.stored === undefined && "What is stored was not counted.",
          ),
        };
      },
    };
  },
});

/** `ab` counts rejected requests as complete. */
function abTable({ acks }: HttpMeasurement): TextTable[] {
  if (acks.length === 0) return [];
  const rows = AB_PERCENTILES.map((percent) => {
    const ms = acks[rankOf(percent, acks.length) - 1]!;
    return [`${percent}%`, ms.toFixed(ms < 10 ? 1 : 0)];
  });
  return [{ label: "Percentage of the requests served within a certain time (ms), as `ab` prints it", rows }];
}
