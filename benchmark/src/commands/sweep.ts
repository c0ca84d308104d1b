import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { plannedMessages, type BroadcastPlan } from "../measure/broadcast-plan.ts";
import { measureBroadcast } from "../measure/broadcast-run.ts";
import { ErrorTable } from "../measure/error-table.ts";
import { sweepMetrics, sweepMetricNames, sweepRows } from "../measure/sweep-figures.ts";
import { checkLimits } from "../preflight.ts";
import type { BroadcastMeasurement, SweepResult } from "../report/result.ts";
import { sweepSummary } from "../report/sweep-summary.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand, type CommandContext } from "../run-command.ts";
import { openTarget } from "../targets/open-target.ts";
import { TARGET_NAMES, type TargetName } from "../targets/target.ts";
import { planOf, roundOptions, wholeNumber } from "./options.ts";

export const sweepCommand: CommandModule<object, Arguments> = {
  command: "sweep",
  describe: "Broadcast to a growing number of members",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return roundOptions(yargs)
    .default("burst", "20,100")
    .default("burst-repeats", 1)
    .option("users", {
      group: "Audience:",
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
    .option("target", {
      group: "Server:",
      choices: TARGET_NAMES,
      default: "fanfare" as const,
      describe: "What to start for each pass",
    })
    .example("$0 sweep", "100 to 10,000 members, about two minutes")
    .example("$0 sweep -u 1000,10000 --threshold 'worstAt10000<200'", "for CI: exit code 99 if slower");
}

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const sizes = args.users.split(",").map((size) => wholeNumber("users", Number(size), 1, 1_000_000));
  if (new Set(sizes).size < sizes.length) throw usageError("--users has a duplicate: use --passes.");
  const passes = wholeNumber("passes", args.passes, 1, 1000);
  const plans = sizes.map((users) => planOf({ ...args, users }));
  const thresholds = parseThresholds(args.threshold, sweepMetricNames(sizes));
  const largest = plans.find(({ users }) => users === Math.max(...sizes))!;
  const canSpreadAddresses = process.platform === "linux";
  checkLimits({ ...largest, messages: plannedMessages(largest), isLocalServer: true, canSpreadAddresses });
  await runCommand<SweepResult>({
    command: "sweep",
    options: { ...largest, users: sizes, passes, target: args.target },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: (body) => sweepMetrics(body.rows),
    async measure(context) {
      const measurements = await measureAll(plans, passes, args.target, context);
      return { rows: sweepRows(measurements), passes: measurements };
    },
    print: sweepSummary,
  });
}

async function measureAll(
  plans: readonly BroadcastPlan[],
  passes: number,
  target: TargetName,
  context: CommandContext,
): Promise<BroadcastMeasurement[]> {
  const measurements: BroadcastMeasurement[] = [];
  try {
    for (let pass = 0; pass < passes; pass++) {
      for (const plan of plans) measurements.push(await measureOne(plan, target, context));
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
  }
  return measurements;
}

/** With a new server: an earlier audience would leave memory behind. */
async function measureOne(
  plan: BroadcastPlan,
  name: TargetName,
  { progress, signal, defer }: CommandContext,
): Promise<BroadcastMeasurement> {
  signal.throwIfAborted();
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
  const measurement = await measureBroadcast({ target, prepared, plan, progress, errors, signal });
  await target.close();
  return measurement;
}
