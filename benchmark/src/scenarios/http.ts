import { usageError } from "../cli/exit.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { CALLS, HTTP_OPTIONS, measureHttp, type HttpMeasurement } from "../kernels/http/http-run.ts";
import { applying, count, whole } from "../report/format.ts";
import { metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { LOAD, loadCaveats, loadPlanOf, loopOf } from "./load.ts";

/** Besides the metrics of every load. */
const HTTP: MetricTable<HttpMeasurement> = {
  unstored: ({ behind }) => behind ?? undefined,
  stored: ({ stored }) => stored ?? undefined,
  // From the first request until all of them were in the database.
  storedPerSecond: ({ stored, behind, load: { figures } }) =>
    stored !== null && behind === 0 && figures.answeredMs ? (stored * 1000) / figures.answeredMs : null,
  bytesPerMillion: ({ stored, diskBytes }) =>
    diskBytes !== undefined && stored ? (diskBytes / stored) * 1e6 : undefined,
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
    checkLimits({ users: connections, messages: 1, kind: "light", ...(await addressNeeds(url)) });
    const loop = loopOf({}, { inFlight: connections, requests });
    const size = { senders: connections, receivers: 0 };
    const plan = loadPlanOf({ ...values, connecting: CALLS, sendingThreads: "1" }, loop, size);
    return {
      options: values,
      async measure(context: RunContext) {
        const target = await openFanfare(context, { url, metricsUrl, registrations: CALLS });
        const measured = await measureHttp({ ...context, target, plan }, values);
        const { server, scene, figures, warmUp } = measured.load;
        return {
          title: "Direct messages by HTTP, POST /api/message.send",
          subtitle: [
            server,
            `${count(requests, "request")}, ${count(connections, "connection")}, after a warm-up of ${whole(warmUp)}`,
            `${count(scene.users, "user")}, ${count(scene.channels, "direct channel")}, random sender and receiver`,
          ],
          metrics: [
            ...readMetrics(LOAD, figures, { connections }),
            ...readMetrics(HTTP, measured, { connections }),
          ],
          tables: abTable(measured),
          caveats: applying(
            ...loadCaveats(measured.load, context.errors.rows()),
            measured.behind === null && "What is stored was not counted.",
          ),
        };
      },
    };
  },
});

/** `ab` counts rejected requests as complete. */
function abTable({ percentiles }: HttpMeasurement): TextTable[] {
  if (!percentiles) return [];
  const rows = percentiles.map(({ percent, ms }) => [`${percent}%`, ms.toFixed(ms < 10 ? 1 : 0)]);
  return [
    {
      label: "Percentage of the requests served within a certain time (ms), as `ab` prints it",
      rows,
    },
  ];
}
