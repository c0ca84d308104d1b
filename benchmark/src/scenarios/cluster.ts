import type { Argv } from "yargs";
import { MAX_PROCESSES, wholeNumber, wholeNumbers } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { plannedMessages } from "../kernels/broadcast/broadcast-plan.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count } from "../report/format.ts";
import { overPasses, ratios, serversOf } from "../report/metric.ts";
import { broadcastPlan, messageOptions, usersOption } from "./broadcast.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import {
  Findings,
  openContestant,
  takeTurns,
  untilInterrupted,
  type Contestant,
  type ServerSpec,
} from "./contestants.ts";
import { RATIOS } from "./limits.ts";

const BESIDE = ["socket.io", "ws", "single"] as const;
const SINGLE = "single instance";
const BARE = "socket.io";

export const cluster = scenario({
  name: "cluster",
  describe: "The same members on 1, 2 and 4 gateways",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: (yargs: Argv) =>
    usersOption(messageOptions(yargs))
      .default("burst", "20,100")
      .default("burst-repeats", 1)
      .option("gateways", {
        group: "Server:",
        type: "string",
        default: "1,2,4",
        describe: "Numbers of gateways to compare; one cluster with the largest number is started",
      })
      .option("workers", { group: "Server:", type: "number", default: 1, describe: "Worker processes" })
      .option("beside", {
        group: "Server:",
        type: "string",
        default: "socket.io,single",
        describe:
          "Also measured in the same run: socket.io and ws (bare, one process), single (a single instance)",
      })
      .option("passes", { group: "Server:", type: "number", default: 2, describe: "Interleaved passes" })
      .example("$0 cluster --users 10000", "1, 2 and 4 gateways and a single instance: some minutes")
      .example(
        "$0 cluster -u 10000 --threshold 'medianMsRatio[server=2 gateways]<=0.58'",
        "exit code 99 if slower than this share of bare Socket.IO's time",
      ),
  async plan(args) {
    const plan = broadcastPlan(args, wholeNumber("users", args.users, 1, 1_000_000));
    const gateways = wholeNumbers("gateways", args.gateways, 1, MAX_PROCESSES);
    const workers = wholeNumber("workers", args.workers, 1, MAX_PROCESSES);
    const passes = wholeNumber("passes", args.passes, 1, 1000);
    const beside = besideNames(args.beside);
    const canSpreadAddresses = process.platform === "linux";
    checkLimits({ ...plan, messages: plannedMessages(plan), isLocalServer: true, canSpreadAddresses });
    return {
      options: { ...plan, gateways, workers, beside, passes },
      async measure(context: RunContext) {
        const findings = new Findings();
        await untilInterrupted(context, async () => {
          const contestants: Contestant[] = [];
          for (const name of beside) {
            const spec = specOf(name === "single" ? "fanfare" : name);
            const labels = { server: name === "single" ? SINGLE : name };
            contestants.push(await openContestant(spec, { plan, labels }, context));
          }
          // One cluster for all sizes: the audience is on its first gateways, and the others are idle.
          const size = { gateways: Math.max(...gateways), workers };
          const spec = specOf("fanfare");
          const opened = await openContestant(spec, { plan, labels: {}, cluster: size }, context);
          for (const [i, spread] of gateways.entries()) {
            const labels = { server: count(spread, "gateway") };
            contestants.push({ ...opened, labels, spread, isFresh: i === 0 });
          }
          await takeTurns(contestants, passes, findings, context);
        });
        const metrics = overPasses(findings.metrics);
        return {
          title: "A single instance and several gateways",
          subtitle: [`the same ${count(plan.users, "member")} everywhere`, count(workers, "worker")],
          metrics: [
            ...findings.metrics,
            ...serversOf(metrics)
              .filter((server) => server !== BARE)
              .flatMap((server) => ratios(metrics, RATIOS, { server, to: BARE })),
          ],
          caveats: findings.caveats,
          errors: findings.errors,
        };
      },
    };
  },
});

const specOf = (name: string): ServerSpec => ({ label: name, name, url: undefined, size: undefined });

function besideNames(text: string): (typeof BESIDE)[number][] {
  const names = text === "" ? [] : [...new Set(text.split(","))];
  const unknown = names.filter((name) => !BESIDE.some((known) => known === name));
  if (unknown.length === 0) return names as (typeof BESIDE)[number][];
  throw usageError(`--beside: unknown ${unknown.join(", ")}. Choices: ${BESIDE.join(", ")}.`);
}
