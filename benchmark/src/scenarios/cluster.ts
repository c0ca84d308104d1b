import { integer, integers, MAX_PROCESSES, names, USERS_OPTION } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  broadcastPlan,
  checkBroadcastLimits,
  messagesText,
  REPEATED_MESSAGE_OPTIONS,
} from "../kernels/broadcast/broadcast-plan.ts";
import { count } from "../report/format.ts";
import { overPasses, ratiosTo } from "../report/metric.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { passesOption, passNumbers, sideBySide, type Contestant, type ServerSpec } from "./contestants.ts";
import { RATIOS } from "./side-by-side.ts";

const BESIDE = ["socket.io", "ws", "single"] as const;
const SINGLE = "single instance";

/** Gateways of a cluster have no threads. */
const { gatewayThreads: _, ...OPTIONS } = REPEATED_MESSAGE_OPTIONS;

export const cluster = scenario({
  name: "cluster",
  describe: "The same members spread over 1, 2 and 4 gateways of a cluster",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: {
    ...OPTIONS,
    users: USERS_OPTION,
    gateways: integers(
      "Server",
      "Numbers of gateways to compare; one cluster with the largest number is started",
      [1, MAX_PROCESSES],
      { default: "1,2,4" },
    ),
    workers: integer("Server", "Worker processes", [1, MAX_PROCESSES], { default: 1 }),
    beside: names(
      "Server",
      "Also measured in the same run: socket.io and ws (bare, one process), single (a single instance)",
      { default: "socket.io,single", known: BESIDE },
    ),
    passes: passesOption(2),
  },
  examples: [
    ["$0 cluster --users 10000", "1, 2 and 4 gateways and a single instance: some minutes"],
    [
      "$0 cluster -u 10000 --threshold 'medianMsRatio[server=2 gateways]<=0.58'",
      "exit code 99 if slower than this share of bare Socket.IO's time",
    ],
  ],
  async plan({ users, gateways, workers, passes, ...values }) {
    const plan = broadcastPlan(values, users);
    const beside = [...new Set(values.beside)];
    await checkBroadcastLimits(plan);
    return {
      options: { ...plan, gateways, workers, beside, passes },
      async measure(context: RunContext) {
        const contestants: Contestant[] = beside.map((name) =>
          name === "single"
            ? { spec: specOf("fanfare"), plan, labels: { server: SINGLE } }
            : { spec: specOf(name), plan, labels: { server: name } },
        );
        // One cluster for all sizes: the audience is on its first gateways, and the others are idle.
        contestants.push({
          spec: specOf("fanfare"),
          plan,
          labels: {},
          cluster: { gateways: Math.max(...gateways), workers },
          spreads: Object.fromEntries(gateways.map((spread) => [count(spread, "gateway"), spread])),
        });
        const found = await sideBySide(context, [{ contestants, passes: passNumbers(passes) }]);
        return {
          title: "A single instance and several gateways",
          subtitle: [
            `the same ${count(plan.users, "member")} everywhere`,
            count(workers, "worker"),
            messagesText(plan),
          ],
          ...found,
          metrics: [...found.metrics, ...ratiosTo("socket.io", overPasses(found.metrics), RATIOS)],
        };
      },
    };
  },
});

const specOf = (name: string): ServerSpec => ({ label: name, name, url: undefined, size: undefined });
