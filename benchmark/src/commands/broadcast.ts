import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { runCommand } from "../run-command.ts";
import { measureBroadcast } from "../measure/broadcast-run.ts";
import { plannedMessages } from "../measure/broadcast-plan.ts";
import { usageError } from "../exit.ts";
import { checkLimits } from "../preflight.ts";
import { BROADCAST_METRICS, broadcastMetrics } from "../report/broadcast-metrics.ts";
import type { BroadcastResult } from "../report/result.ts";
import { broadcastSummary } from "../report/summary.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { KNOWN_TARGETS, openTarget } from "../targets/open-target.ts";
import { addressNeeds } from "./address-needs.ts";
import { audienceOptions, clusterOptions, clusterSizeOf, planOf } from "./options.ts";

export const broadcastCommand: CommandModule<object, Arguments> = {
  command: "broadcast",
  describe: "How long until the last of N members has a message",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return audienceOptions(clusterOptions(serverOptions(yargs)))
    .option("rounds", {
      group: "Result:",
      type: "boolean",
      default: false,
      describe: "Print a line for every message",
    })
    .example("$0 broadcast --users 10000", "one message at a time to 10,000 members")
    .example("$0 broadcast -u 10000 --burst 20,100", "and then 20, and 100, at once")
    .example("$0 broadcast -u 10000 --gateways 2", "a cluster, and the members spread over two gateways")
    .example("$0 broadcast -u 500 --url http://127.0.0.1:3000", "a server that is running already")
    .example("$0 broadcast -u 1000 --threshold 'p100<100'", "for CI: exit code 99 when slower");
}

function serverOptions(yargs: Argv) {
  return yargs
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "The server to measure; without it one is started for the run and removed",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "Where the server's own figures are (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: `The kind of server: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in`,
    });
}

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const cluster = clusterSizeOf(args);
  if (cluster && (args.url !== undefined || args.target !== "fanfare")) {
    throw usageError("--gateways and --workers start a cluster for the run: leave --url and --target out.");
  }
  const thresholds = parseThresholds(args.threshold, BROADCAST_METRICS);
  checkLimits({ ...plan, messages: plannedMessages(plan), ...(await addressNeeds(args.url, plan.kind)) });
  await runCommand<BroadcastResult>({
    command: "broadcast",
    options: { ...plan, target: args.target, cluster },
    json: args.json,
    html: args.html,
    progress: args.progress,
    thresholds,
    metrics: broadcastMetrics,
    async measure({ progress, errors, signal, defer }) {
      const onError = (code: string) => errors.add("api", code);
      const fanfare = {
        urls: args.url === undefined ? [] : [args.url],
        cluster,
        metricsUrl: args.metricsUrl,
        gatewayThreads: plan.gatewayThreads,
        registrationConcurrency: plan.window,
        onError,
      };
      const target = await openTarget(args.target, fanfare, signal);
      defer(() => target.close());
      const prepared = await target.prepare(plan.users, progress, signal);
      return measureBroadcast({ target, prepared, plan, progress, errors, signal });
    },
    print: (result) => broadcastSummary(result, { everyRound: args.rounds }),
  });
}
