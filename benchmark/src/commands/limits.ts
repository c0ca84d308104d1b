import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import type { BroadcastPlan } from "../measure/broadcast-plan.ts";
import { plannedMessages } from "../measure/broadcast-plan.ts";
import { measureBroadcast } from "../measure/broadcast-run.ts";
import { ErrorTable } from "../measure/error-table.ts";
import { LIMIT_METRICS, limitFigures, limitMetrics, limitRatios } from "../measure/limit-figures.ts";
import { usageError } from "../exit.ts";
import { checkLimits } from "../preflight.ts";
import { limitsSummary } from "../report/limits-summary.ts";
import type { BroadcastMeasurement, LimitsResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand, type CommandContext } from "../run-command.ts";
import { openTarget } from "../targets/open-target.ts";
import { TARGET_NAMES, type Prepared, type Target, type TargetName } from "../targets/target.ts";
import { audienceOptions, planOf } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const limitsCommand: CommandModule<object, Arguments> = {
  command: "limits",
  describe: "The platform next to bare Socket.IO and bare ws: ratios that hold on any machine",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return audienceOptions(yargs)
    .default("burst", "20,100")
    .default("burst-repeats", 1)
    .option("passes", {
      group: "Server:",
      type: "number",
      default: 3,
      describe: "Interleaved passes",
    })
    .option("targets", {
      group: "Server:",
      type: "string",
      default: TARGET_NAMES.join(","),
      describe: "Servers to measure, in this order",
    })
    .example("$0 limits --users 10000", "three servers, three passes each: some minutes")
    .example("$0 limits -u 1000 --threshold 'worstVsSocketIo<0.75'", "for CI: exit code 99 if slower");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const names = targetNames(args.targets);
  if (!Number.isInteger(args.passes) || args.passes < 1) throw usageError("--passes must be 1 or more.");
  const thresholds = parseThresholds(args.threshold, LIMIT_METRICS);
  const canSpreadAddresses = process.platform === "linux";
  checkLimits({ ...plan, messages: plannedMessages(plan), isLocalServer: true, canSpreadAddresses });
  await runCommand<LimitsResult>({
    command: "limits",
    options: { ...plan, passes: args.passes, targets: names },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: (body) => limitMetrics(body.ratios),
    async measure(context) {
      const passes = await takeTurns(names, args.passes, plan, context);
      const figures = limitFigures(passes);
      return { users: plan.users, figures, ratios: limitRatios(figures), passes };
    },
    print: limitsSummary,
  });
}

/**
 * All servers run the whole time and take turns with the audience, so that a slow minute of the machine affects
 * all of them.
 */
async function takeTurns(
  names: readonly TargetName[],
  passes: number,
  plan: BroadcastPlan,
  context: CommandContext,
): Promise<BroadcastMeasurement[]> {
  const { progress, signal, defer } = context;
  const contestants: { target: Target; prepared: Prepared; errors: ErrorTable }[] = [];
  const measurements: BroadcastMeasurement[] = [];
  try {
    for (const name of names) {
      const errors = new ErrorTable();
      const options = {
        urls: [],
        cluster: undefined,
        metricsUrl: undefined,
        gatewayThreads: plan.gatewayThreads,
        registrationConcurrency: plan.window,
        onError: (code: string) => errors.add("api", code),
      };
      const target = await openTarget(name, options, signal);
      defer(() => target.close());
      const prepared = await target.prepare(plan.users, progress, signal);
      contestants.push({ target, prepared, errors });
    }
    for (let pass = 0; pass < passes; pass++) {
      for (const contestant of contestants) {
        signal.throwIfAborted();
        measurements.push(await measureBroadcast({ ...contestant, plan, progress, signal }));
        contestant.errors = new ErrorTable();
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return measurements;
}

function targetNames(text: string): TargetName[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !TARGET_NAMES.some((known) => known === name));
  if (unknown.length > 0) {
    throw usageError(`--targets: unknown ${unknown.join(", ")}. Choices: ${TARGET_NAMES.join(", ")}.`);
  }
  return [...new Set(names as TargetName[])];
}
