import { FANFARE_OPTIONS, integer, PAYLOAD_OPTIONS, time } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { openFanfareApi } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import { measureHttp, type HttpMeasurement, type HttpPlan } from "../kernels/http/http-run.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count, short, whole } from "../report/format.ts";
import { metricsInOrder } from "../report/metric.ts";
import type { Outcome, TextTable } from "../report/result.ts";
import { explain } from "../targets/fanfare/explain.ts";

const MOST_REQUESTS = 10_000_000;
/** Concurrent registrations and read-back calls. */
const CALLS = 50;
const BUSY = 0.9;
/** From this share of rejections on, the other figures say little. */
const MANY = 0.1;

export const http = scenario({
  name: "http",
  describe: "`ab -k` for direct messages by HTTP, and how fast they are stored",
  metrics: [
    "acknowledgedPerSecond",
    "unstored",
    "storedPerSecond",
    "acknowledgedPerCpuSecond",
    "ackP50Ms",
    "ackP90Ms",
    "ackP99Ms",
    "ackP100Ms",
    "bytesPerMillion",
    "sent",
    "acknowledged",
    "refused",
    "unanswered",
    "stored",
    "rssBytes",
    "senderBusy",
  ],
  options: {
    ...FANFARE_OPTIONS,
    ...PAYLOAD_OPTIONS,
    connections: integer("Load", "Connections, each with one request in flight", {
      default: 1000,
      min: 1,
      max: 15_000,
    }),
    count: integer("Load", "Requests in total", { alias: "c", default: 20_000, min: 1, max: MOST_REQUESTS }),
    warmup: integer("Load", "Warm-up requests, not counted", { default: 1000, min: 0, max: MOST_REQUESTS }),
    users: integer("Who", "Users who send and receive", { alias: "u", default: 500, min: 2, max: 100_000 }),
    channels: integer("Who", "Direct channels between two of the users", {
      default: 1000,
      min: 1,
      max: 100_000,
    }),
    timeout: time("Load", "Timeout of a request", { default: "30s", minMs: 100 }),
  },
  examples: [
    ["$0 http --connections 10000 -c 100000", "as `ab -k -c 10000 -n 100000`"],
    ["$0 http --threshold 'unstored==0' --threshold 'refused==0'", "for CI"],
  ],
  async plan({ connections: concurrency, count: requests, users, channels, url, metricsUrl, ...values }) {
    if (concurrency > requests)
      throw usageError(`--connections ${concurrency} needs at least as many requests (--count): one each.`);
    const plan: HttpPlan = {
      users,
      channels,
      concurrency,
      requests,
      warmUp: values.warmup,
      payloadBytes: values.payload,
      timeoutMs: values.timeout,
      calls: CALLS,
    };
    checkLimits({ users: concurrency, messages: 1, kind: "light", ...(await addressNeeds(url)) });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { target, api } = await openFanfareApi(
          context,
          { url, metricsUrl, registrations: CALLS },
          CALLS,
        );
        const measured = await measureHttp(target, api, plan, context).catch(explain);
        const where = target.isThrowaway ? "fanfare, started for this run" : `fanfare at ${target.urls[0]}`;
        return httpOutcome(where, plan, measured);
      },
    };
  },
});

function httpOutcome(where: string, plan: HttpPlan, measured: HttpMeasurement): Outcome {
  const { channels, values, errors } = measured;
  const { requests, concurrency, users } = plan;
  return {
    title: "Direct messages by HTTP, POST /api/message.send",
    subtitle: [
      where,
      `${count(requests, "request")}, ${count(concurrency, "connection")}`,
      `${count(users, "user")}, ${count(channels, "direct channel")}, random sender and receiver`,
    ],
    metrics: metricsInOrder(http.metrics, values, { connections: concurrency }),
    tables: abTable(measured),
    caveats: httpCaveats(measured),
    errors,
  };
}

/** `ab` counts rejected requests as complete. */
function abTable({ percentiles }: HttpMeasurement): TextTable[] {
  if (!percentiles) return [];
  const rows = percentiles.map(({ percent, ms }) => [`${percent}%`, ms.toFixed(ms < 10 ? 1 : 0)]);
  return [{ label: "Percentage of the requests served within a certain time (ms), as `ab` prints it", rows }];
}

/** Rejections that are not the request's fault. */
const ADVICE: Readonly<Record<string, string>> = {
  OVERLOADED:
    "the server has a limit of requests in flight per process. It rejects at once with a retry time, which the tester obeys. To " +
    "avoid rejections, use fewer --connections, or a server with more gateways",
  UNAVAILABLE: "a part of the server was busy or unavailable. Check its log, and try fewer --connections",
  RATE_LIMITED: "a limit per user or address: use more --users, or a server with higher limits",
  TOKEN_EXPIRED: "the run outlasted an access token: use a smaller --count",
};

export function httpCaveats({
  counts,
  errors,
  testerBusy,
}: Pick<HttpMeasurement, "counts" | "errors" | "testerBusy">): string[] {
  const share = counts.sent === 0 ? 0 : counts.refused / counts.sent;
  const rejected = `${whole(counts.refused)} of ${count(counts.sent, "request")} were rejected (${short(share * 100)} %)`;
  const reasons = errors.flatMap(({ code }) => (code in ADVICE ? [`${code}: ${ADVICE[code]}.`] : []));
  return [
    ...(counts.refused > 0
      ? [`${rejected}. They are not in the times and rates, and not retried.`, ...reasons]
      : []),
    ...(share >= MANY
      ? ["So many were rejected that the figures only describe the others: don't compare them."]
      : []),
    ...(testerBusy > BUSY
      ? ["The tester's thread was the bottleneck: the server can do more than this."]
      : []),
    ...(counts.behind === null ? ["What is stored was not counted."] : []),
  ];
}
