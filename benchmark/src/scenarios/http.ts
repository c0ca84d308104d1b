import { usageError } from "../cli/exit.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  CALLS,
  HTTP_OPTIONS,
  measureHttp,
  type HttpMeasurement,
  type HttpPlan,
} from "../kernels/http/http-run.ts";
import { applying, count, serverName, short, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { Outcome, TextTable } from "../report/result.ts";
import { explain } from "../targets/fanfare/api.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";

const BUSY = 0.9;
/** From this share of rejections on, the other figures say little. */
const MANY = 0.1;

const ackMs =
  (wanted: number) =>
  ({ percentiles }: HttpMeasurement): number | null =>
    percentiles?.find(({ percent }) => percent === wanted)?.ms ?? null;

const HTTP: MetricTable<HttpMeasurement> = {
  acknowledgedPerSecond: ({ counts, seconds }) => (seconds > 0 ? counts.acknowledged / seconds : null),
  unstored: ({ counts }) => counts.behind ?? undefined,
  // From the first request until all of them were in the database.
  storedPerSecond: ({ counts: { stored, acknowledged }, seconds }) =>
    stored !== null && stored >= acknowledged && seconds > 0 ? stored / seconds : null,
  acknowledgedPerCpuSecond: ({ counts, cpuSeconds }) =>
    cpuSeconds > 0 ? counts.acknowledged / cpuSeconds : undefined,
  ackP50Ms: ackMs(50),
  ackP90Ms: ackMs(90),
  ackP99Ms: ackMs(99),
  ackP100Ms: ackMs(100),
  bytesPerMillion: ({ counts: { stored }, diskBytes }) =>
    diskBytes !== undefined && stored ? (diskBytes / stored) * 1e6 : undefined,
  ...fields(
    ({ counts }: HttpMeasurement) => counts,
    "sent",
    "acknowledged",
    "refused",
    "unanswered",
    "stored",
  ),
  rssBytes: ({ rssBytes }) => rssBytes ?? undefined,
  senderBusy: ({ testerBusy }) => testerBusy,
};

export const http = scenario({
  name: "http",
  describe: "`ab -k` for direct messages by HTTP, and how fast they are stored",
  metrics: metricNames(HTTP),
  options: HTTP_OPTIONS,
  examples: [
    ["$0 http --connections 10000 -c 100000", "as `ab -k -c 10000 -n 100000`"],
    ["$0 http --threshold 'unstored==0' --threshold 'refused==0'", "for CI"],
  ],
  async plan(plan) {
    const { connections, url, metricsUrl } = plan;
    if (connections > plan.count)
      throw usageError(`--connections ${connections} needs at least as many requests (--count): one each.`);
    checkLimits({ users: connections, messages: 1, kind: "light", ...(await addressNeeds(url)) });
    return {
      options: plan,
      async measure(context: RunContext) {
        const target = await openFanfare(context, { url, metricsUrl, registrations: CALLS });
        const measured = await measureHttp(target, plan, context).catch(explain);
        const { name, isThrowaway, urls } = target;
        return httpOutcome(serverName({ name, isThrowaway, url: urls[0]! }), plan, measured);
      },
    };
  },
});

function httpOutcome(where: string, plan: HttpPlan, measured: HttpMeasurement): Outcome {
  const { connections, users } = plan;
  return {
    title: "Direct messages by HTTP, POST /api/message.send",
    subtitle: [
      where,
      `${count(plan.count, "request")}, ${count(connections, "connection")}`,
      `${count(users, "user")}, ${count(measured.channels, "direct channel")}, random sender and receiver`,
    ],
    metrics: readMetrics(HTTP, measured, { connections }),
    tables: abTable(measured),
    caveats: httpCaveats(measured),
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
  const isRejecting = counts.refused > 0;
  return applying(
    isRejecting && `${rejected}. They are not in the times and rates, and not retried.`,
    ...errors.map(({ code }) => isRejecting && code in ADVICE && `${code}: ${ADVICE[code]}.`),
    share >= MANY && "So many were rejected that the figures only describe the others: don't compare them.",
    testerBusy > BUSY && "The tester's thread was the bottleneck: the server can do more than this.",
    counts.behind === null && "What is stored was not counted.",
  );
}
