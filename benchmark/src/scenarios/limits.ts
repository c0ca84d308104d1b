import { text } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { count } from "../report/format.ts";
import { overPasses, ratios, serversOf, type Metric, type MetricName } from "../report/metric.ts";
import {
  broadcastPlan,
  checkBroadcastLimits,
  passesOption,
  REPEATED_MESSAGE_OPTIONS,
  USERS_OPTION,
} from "./broadcast.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { serverSpecs, sideBySide } from "./contestants.ts";

/** What a server achieves relative to another one holds on a slow or busy machine. */
export const RATIOS = [
  "worstMs",
  "medianMs",
  "bestMs",
  "coldMs",
  "firstMs",
  "burstMs",
  "burstPerCpuSecond",
  "connectsPerSecond",
  "rssPerConnectionBytes",
  "cpuMsPerMessage",
  "netCpuMsPerMessage",
] as const satisfies readonly MetricName[];

export const limits = scenario({
  name: "limits",
  describe: "Servers side by side, by default the platform, bare Socket.IO and bare ws",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: {
    ...REPEATED_MESSAGE_OPTIONS,
    users: USERS_OPTION,
    passes: passesOption(3),
    targets: text("Server", "Servers to measure, in this order; a running one is written as name=URL", {
      default: "fanfare,socket.io,ws",
    }),
  },
  examples: [
    ["$0 limits --users 10000", "three servers, three passes each: some minutes"],
    ["$0 limits --targets fanfare,tailchat=http://127.0.0.1:11000", "beside a running server"],
    ["$0 limits -u 1000 --threshold 'medianMsRatio[to=socket.io]<0.75'", "for CI: exit code 99 if slower"],
  ],
  async plan({ passes, targets, users, ...values }) {
    const plan = broadcastPlan(values, users);
    const specs = serverSpecs("targets", targets);
    await checkBroadcastLimits(plan);
    return {
      options: { ...plan, passes, targets },
      async measure(context: RunContext) {
        const found = await sideBySide(context, passes, [
          specs.map((spec) => [spec, { plan, labels: { server: spec.label } }]),
        ]);
        return {
          title: `${specs.map(({ label }) => label).join(", ")} side by side`,
          subtitle: [
            `the same ${count(plan.users, "member")} and machine`,
            count(plan.gatewayThreads!, "gateway thread"),
          ],
          ...found,
          metrics: [...found.metrics, ...ratiosToFirst(found.metrics)],
        };
      },
    };
  },
});

/** The first server divided by each other one, over all passes. */
export function ratiosToFirst(all: readonly Metric[]): Metric[] {
  const metrics = overPasses(all);
  const [server = "", ...others] = serversOf(metrics);
  return others.flatMap((to) => ratios(metrics, RATIOS, { server, to }));
}
