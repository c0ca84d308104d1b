import { EXISTING_USERS_OPTIONS, integers, MOST_USERS, SERVER_OPTIONS } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { PROGRAM, usageError } from "../cli/exit.ts";
import {
  broadcastPlans,
  checkBroadcastLimits,
  messagesText,
  REPEATED_MESSAGE_OPTIONS,
} from "../kernels/broadcast/broadcast-plan.ts";
import { applying, count } from "../report/format.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { gatewayThreadsOf, passesOption, passNumbers, serverSpecs, sideBySide } from "./contestants.ts";
import { existingUsers } from "../targets/tokens.ts";

export const sweep = scenario({
  name: "sweep",
  describe: "Broadcast to a growing number of members",
  metrics: BROADCAST_METRICS,
  options: {
    ...SERVER_OPTIONS,
    ...EXISTING_USERS_OPTIONS,
    ...REPEATED_MESSAGE_OPTIONS,
    users: integers("Receivers", "Numbers of members online, measured one after the other", [1, MOST_USERS], {
      default: "100,500,1000,2000,5000,10000",
      alias: "u",
    }),
    passes: passesOption(1, "Passes per number; several show the variation"),
  },
  examples: [
    ["$0 sweep", "100 to 10,000 members, about two minutes"],
    ["$0 sweep -u 1000,10000 --threshold 'worstMs[members=10000]<200'", "for CI: exit code 99 if slower"],
  ],
  async plan({ users: sizes, passes, target, url, metricsUrl, ...values }) {
    const [spec, another] = serverSpecs("target", url === undefined ? target : `${target}=${url}`);
    if (another)
      throw usageError(
        `--target names one server. For several: ${PROGRAM} limits --targets, or ${PROGRAM} versus.`,
      );
    const gatewayThreads = gatewayThreadsOf([spec!], values.gatewayThreads);
    const { plans, largest } = broadcastPlans({ ...values, gatewayThreads }, sizes);
    const existing = await existingUsers({ ...values, url }, largest.users);
    await checkBroadcastLimits(largest, url);
    return {
      options: { ...largest, users: sizes, passes, target },
      async measure(context: RunContext) {
        const alone = plans.map((plan) => {
          return { spec: spec!, plan, labels: { members: plan.users }, metricsUrl, existing };
        });
        // Each with a new server: an earlier audience would leave memory behind.
        const rounds = passNumbers(passes).flatMap((pass) =>
          alone.map((one) => ({ contestants: [one], passes: [pass] })),
        );
        const found = await sideBySide(context, rounds);
        return {
          title: "Broadcast to a growing number of members",
          subtitle: applying(
            url === undefined ? `a new ${target} each time` : `${target} at ${url}`,
            messagesText(largest),
            gatewayThreads !== undefined && count(gatewayThreads, "gateway thread"),
          ),
          ...found,
        };
      },
    };
  },
});
