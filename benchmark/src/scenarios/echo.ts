import { scenario, type RunContext } from "../cli/scenario.ts";
import { ECHO_OPTIONS, measureEcho, WARM_UP_MS, type EchoRow } from "../kernels/echo/echo-run.ts";
import { duration } from "../report/format.ts";
import { metricNames, ratiosTo, readMetrics, type MetricName, type MetricTable } from "../report/metric.ts";

const RATIOS = ["requestsPerSecond", "requestsPerCpuSecond"] as const satisfies readonly MetricName[];
const BUSY = 0.9;

const ROW: MetricTable<EchoRow> = {
  requestsPerSecond: ({ outcome: { acknowledged, measuredMs } }) =>
    measuredMs > 0 ? acknowledged / (measuredMs / 1000) : null,
  requestsPerCpuSecond: ({ outcome, cpuSeconds }) =>
    cpuSeconds > 0 ? outcome.acknowledged / cpuSeconds : null,
  requestP50Ms: ({ latencyMs }) => latencyMs?.p50 ?? null,
  requestP99Ms: ({ latencyMs }) => latencyMs?.p99 ?? null,
  requestP100Ms: ({ latencyMs }) => latencyMs?.p100 ?? null,
  refused: ({ outcome }) => outcome.refused + outcome.unanswered,
  senderBusy: ({ outcome }) => outcome.testerBusy,
};

export const echo = scenario({
  name: "echo",
  describe: "HTTP requests per second of the server's HTTP library alone, beside nginx",
  metrics: metricNames(ROW),
  ratios: RATIOS,
  options: ECHO_OPTIONS,
  examples: [
    ["$0 echo", "all servers, with 1 to 1,000 connections"],
    ["$0 echo --connections 100 --threshold 'requestsPerSecondRatio[server=fastify]>0.2'", "for CI"],
  ],
  plan(plan) {
    return {
      options: plan,
      async measure(context: RunContext) {
        const { bytes, rows, missing } = await measureEcho(plan, context);
        const all = rows.flatMap((row) => {
          const { server, connections } = row;
          return readMetrics(ROW, row, { connections, server });
        });
        return {
          title: `Echo of ${bytes} bytes by HTTP with keep-alive`,
          subtitle: [
            "one thread per server",
            `${duration(plan.durationMs)} each, after ${duration(WARM_UP_MS)} of warm-up`,
          ],
          metrics: [...all, ...ratiosTo("nginx", all, RATIOS)],
          caveats: [
            ...missing.map((name) => `${name} is not installed and not in the table.`),
            ...busyCaveat(rows),
          ],
        };
      },
    };
  },
});

function busyCaveat(rows: readonly EchoRow[]): string[] {
  const busy = rows.filter(({ outcome }) => outcome.testerBusy > BUSY);
  if (busy.length === 0) return [];
  const names = [...new Set(busy.map(({ server }) => server))].join(", ");
  return [
    `The tester's own thread was the bottleneck in ${busy.length} rows (${names}): the server can do more than shown, so ` +
      "compare its rate per CPU second.",
  ];
}
