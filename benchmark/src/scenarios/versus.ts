import os from "node:os";
import type { Argv } from "yargs";
import { wholeNumber, wholeNumbers } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { plannedMessages } from "../kernels/broadcast/broadcast-plan.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count } from "../report/format.ts";
import type { MetricName } from "../report/metric.ts";
import { broadcastPlan, messageOptions } from "./broadcast.ts";
import {
  Findings,
  openContestant,
  serverSpecs,
  takeTurns,
  untilInterrupted,
  type Contestant,
} from "./contestants.ts";
import { RATIOS, ratiosToFirst } from "./limits.ts";

/** What is compared between chat servers. */
const COMPARED = [
  "worstMs",
  "medianMs",
  "coldMs",
  "burstMs",
  "cpuMsPerMessage",
  "netCpuMsPerMessage",
  "rssPerConnectionBytes",
  "connectsPerSecond",
  "lost",
  "duplicates",
  "outOfOrder",
  "corrupted",
  "unstored",
  "dropped",
] as const satisfies readonly MetricName[];

export const versus = scenario({
  name: "versus",
  describe: "Fanfare and other servers on the same machine, in turns, with 100, 1,000 and 5,000 members",
  metrics: COMPARED,
  ratios: RATIOS,
  options: (yargs: Argv) =>
    messageOptions(yargs)
      .default("burst", "100")
      .default("burst-repeats", 1)
      .option("users", {
        group: "Receivers:",
        alias: "u",
        type: "string",
        default: "100,1000,5000",
        describe: "Numbers of members online",
      })
      .option("servers", {
        group: "Server:",
        type: "string",
        default: "fanfare,fanfare:0,socket.io,socket.io:2,ws",
        describe:
          "Servers in this order: fanfare:N has N gateway threads, socket.io:N N processes, and name=URL is already running",
      })
      .option("passes", { group: "Server:", type: "number", default: 2, describe: "Interleaved passes" })
      .option("cores", {
        group: "Server:",
        type: "number",
        describe: "Pin each server that is started to this many cores; default: all of the machine",
      })
      .example(
        "$0 versus",
        "Fanfare with and without gateway threads, Socket.IO in one and two processes, ws",
      )
      .example(
        "$0 versus --servers fanfare,tailchat=http://127.0.0.1:11000 -u 100,500",
        "beside a running Tailchat",
      ),
  async plan(args) {
    const sizes = wholeNumbers("users", args.users, 1, 1_000_000);
    const passes = wholeNumber("passes", args.passes, 1, 1000);
    const specs = serverSpecs("servers", args.servers);
    const cores = coreList(args.cores);
    const plans = sizes.map((users) => broadcastPlan(args, users));
    const largest = plans.find(({ users }) => users === Math.max(...sizes))!;
    const canSpreadAddresses = process.platform === "linux";
    checkLimits({ ...largest, messages: plannedMessages(largest), isLocalServer: true, canSpreadAddresses });
    return {
      options: { ...largest, users: sizes, servers: args.servers, passes, cores: args.cores },
      async measure(context: RunContext) {
        const findings = new Findings();
        await untilInterrupted(context, async () => {
          for (const plan of plans) {
            const contestants: Contestant[] = [];
            for (const spec of specs) {
              const labels = { members: plan.users, server: spec.label };
              const options = { plan, labels, ...(cores === undefined ? {} : { cores }) };
              contestants.push(await openContestant(spec, options, context));
            }
            await takeTurns(contestants, passes, findings, context);
            // Idle servers of the next size would share the machine.
            for (const { target } of contestants) await target.close();
          }
        });
        const names: readonly string[] = COMPARED;
        const metrics = findings.metrics.filter(
          ({ name, labels }) => names.includes(name) && !("process" in labels),
        );
        return {
          title: "Chat servers side by side",
          subtitle: [
            "the same members, messages, clock and machine, in turns",
            cores === undefined
              ? `all ${count(os.availableParallelism(), "core")}`
              : `each server on ${count(args.cores!, "core")}`,
            `fanfare: ${count(largest.gatewayThreads!, "gateway thread")} unless written as fanfare:N`,
          ],
          metrics: [...metrics, ...ratiosToFirst(metrics)],
          caveats: findings.caveats,
          errors: findings.errors,
        };
      },
    };
  },
});

function coreList(cores: number | undefined): string | undefined {
  if (cores === undefined) return undefined;
  const most = os.availableParallelism();
  if (process.platform !== "linux") throw usageError("--cores needs taskset, which only Linux has.");
  return `0-${wholeNumber("cores", cores, 1, most) - 1}`;
}
