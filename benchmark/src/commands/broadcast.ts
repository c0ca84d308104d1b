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
  describe: "Time until the last of N members has a message",
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
    .example("$0 broadcast -u 10000 --burst 20,100", "then bursts of 20 and 100")
    .example("$0 broadcast -u 10000 --gateways 2", "a cluster, with the members spread over two gateways")
    .example("$0 broadcast -u 500 --url http://127.0.0.1:3000", "a running server")
    .example("$0 broadcast -u 1000 --threshold 'worst<100'", "for CI: exit code 99 if slower");
}

function serverOptions(yargs: Argv) {
  return yargs
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server to measure; default: start one for the run and remove it",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server's metrics (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: `Kind of server: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in`,
    });
}

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const cluster = clusterSizeOf(args);
  if (cluster && (args.url !== undefined || args.target !== "fanfare")) {
    throw usageError("--gateways and --workers start a cluster for the run: omit --url and --target.");
  }
  const thresholds = parseThresholds(args.threshold, BROADCAST_METRICS);
  checkLimits({ ...plan, messages: plannedMessages(plan), ...(await addressNeeds(args.url, plan.kind)) });
  await runCommand<BroadcastResult>({
    command: "broadcast",
    options: { ...plan, target: args.target, cluster },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
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
