import os from "node:os";
import { integer, integers, text } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { count } from "../report/format.ts";
import type { MetricName } from "../report/metric.ts";
import {
  broadcastPlan,
  checkBroadcastLimits,
  MOST_USERS,
  passesOption,
  REPEATED_MESSAGE_OPTIONS,
} from "./broadcast.ts";
import { serverSpecs, sideBySide } from "./contestants.ts";
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
  options: {
    ...REPEATED_MESSAGE_OPTIONS,
    burst: { ...REPEATED_MESSAGE_OPTIONS.burst, default: "100" },
    users: integers("Receivers", "Numbers of members online", {
      default: "100,1000,5000",
      alias: "u",
      min: 1,
      max: MOST_USERS,
    }),
    servers: text(
      "Server",
      "Servers in this order: fanfare:N has N gateway threads, socket.io:N N processes, and name=URL is already running",
      { default: "fanfare,fanfare:0,socket.io,socket.io:2,ws" },
    ),
    passes: passesOption(2),
    cores: integer(
      "Server",
      "Pin each server that is started to this many cores; default: all of the machine",
      { min: 1, max: os.availableParallelism() },
    ),
  },
  examples: [
    ["$0 versus", "Fanfare with and without gateway threads, Socket.IO in one and two processes, ws"],
    ["$0 versus --servers fanfare,tailchat=http://127.0.0.1:11000 -u 100,500", "beside a running Tailchat"],
  ],
  async plan({ users: sizes, servers, passes, cores, ...values }) {
    if (cores !== undefined && process.platform !== "linux")
      throw usageError("--cores needs taskset, which only Linux has.");
    const specs = serverSpecs("servers", servers);
    const plans = sizes.map((users) => broadcastPlan(values, users));
    const largest = plans.find(({ users }) => users === Math.max(...sizes))!;
    await checkBroadcastLimits(largest);
    return {
      options: { ...largest, users: sizes, servers, passes, cores },
      async measure(context: RunContext) {
        const pinning = cores === undefined ? undefined : `0-${cores - 1}`;
        const found = await sideBySide(
          context,
          passes,
          plans.map((plan) =>
            specs.map((spec) => {
              const labels = { members: plan.users, server: spec.label };
              return [spec, { plan, labels, cores: pinning }];
            }),
          ),
        );
        const names: readonly string[] = COMPARED;
        const metrics = found.metrics.filter(
          ({ name, labels }) => names.includes(name) && !("process" in labels),
        );
        return {
          title: "Chat servers side by side",
          subtitle: [
            "the same members, messages, clock and machine, in turns",
            cores === undefined
              ? `all ${count(os.availableParallelism(), "core")}`
              : `each server on ${count(cores, "core")}`,
            ...(specs.some(({ name }) => name === "fanfare")
              ? [`fanfare: ${count(largest.gatewayThreads!, "gateway thread")} unless written as fanfare:N`]
              : []),
          ],
          ...found,
          metrics: [...metrics, ...ratiosToFirst(metrics)],
        };
      },
    };
  },
});
