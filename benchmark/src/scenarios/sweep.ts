import type { Argv } from "yargs";
import { serverOptions, wholeNumber, wholeNumbers } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { plannedMessages } from "../kernels/broadcast/broadcast-plan.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count } from "../report/format.ts";
import { broadcastPlan, messageOptions } from "./broadcast.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { Findings, openContestant, serverSpecs, untilInterrupted } from "./contestants.ts";

export const sweep = scenario({
  name: "sweep",
  describe: "Broadcast to a growing number of members",
  metrics: BROADCAST_METRICS,
  options: (yargs: Argv) =>
    messageOptions(serverOptions(yargs))
      .default("burst", "20,100")
      .default("burst-repeats", 1)
      .option("users", {
        group: "Receivers:",
        alias: "u",
        type: "string",
        default: "100,500,1000,2000,5000,10000",
        describe: "Numbers of members online, measured one after the other",
      })
      .option("passes", {
        group: "Server:",
        type: "number",
        default: 1,
        describe: "Passes per number; several show the variation",
      })
      .example("$0 sweep", "100 to 10,000 members, about two minutes")
      .example(
        "$0 sweep -u 1000,10000 --threshold 'worstMs[members=10000]<200'",
        "for CI: exit code 99 if slower",
      ),
  async plan(args) {
    const sizes = wholeNumbers("users", args.users, 1, 1_000_000);
    const passes = wholeNumber("passes", args.passes, 1, 1000);
    const { target, url, metricsUrl } = args;
    const [spec, another] = serverSpecs("target", url === undefined ? target : `${target}=${url}`);
    if (another)
      throw usageError("--target names one server. For several: bench limits --targets, or bench versus.");
    const plans = sizes.map((users) => broadcastPlan(args, users));
    const largest = plans.find(({ users }) => users === Math.max(...sizes))!;
    checkLimits({
      ...largest,
      messages: plannedMessages(largest),
      ...(await addressNeeds(url, largest.kind)),
    });
    return {
      options: { ...largest, users: sizes, passes, target },
      async measure(context: RunContext) {
        const findings = new Findings();
        await untilInterrupted(context, async () => {
          for (let pass = 1; pass <= passes; pass++) {
            for (const plan of plans) {
              // With a new server: an earlier audience would leave memory behind.
              const contestant = await openContestant(
                spec!,
                { plan, labels: { members: plan.users }, metricsUrl },
                context,
              );
              await findings.measure(contestant, pass, context);
              await contestant.target.close();
            }
          }
        });
        const isFanfare = target === "fanfare" && url === undefined;
        return {
          title: "Broadcast to a growing number of members",
          subtitle: [
            url === undefined ? `a new ${target} each time` : `${target} at ${url}`,
            ...(isFanfare ? [count(largest.gatewayThreads!, "gateway thread")] : []),
          ],
          metrics: findings.metrics,
          caveats: findings.caveats,
          errors: findings.errors,
        };
      },
    };
  },
});
