import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { plannedMessages, type BroadcastPlan } from "../measure/broadcast-plan.ts";
import { measureBroadcast } from "../measure/broadcast-run.ts";
import { clusterMetricNames, clusterMetrics, clusterRows } from "../measure/cluster-figures.ts";
import { ErrorTable } from "../measure/error-table.ts";
import { checkLimits } from "../preflight.ts";
import { clusterSummary } from "../report/cluster-summary.ts";
import { count } from "../report/format.ts";
import type { ClusterResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand, type CommandContext } from "../run-command.ts";
import { openTarget } from "../targets/open-target.ts";
import type { Prepared, Target, TargetName } from "../targets/target.ts";
import { compareNodes } from "./cluster-nodes.ts";
import { audienceOptions, MAX_PROCESSES, planOf, wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const clusterCommand: CommandModule<object, Arguments> = {
  command: "cluster",
  describe: "The same users on 1, 2 and 4 gateways, or the same messages on 1 to 4 nodes",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return audienceOptions(yargs)
    .default("burst", "20,100")
    .default("burst-repeats", 1)
    .option("gateways", {
      group: "Server:",
      type: "string",
      defaultDescription: "1,2,4",
      describe: "Numbers of gateways to compare; one cluster with the largest number is started",
    })
    .option("workers", {
      group: "Server:",
      type: "number",
      defaultDescription: "1",
      describe: "Worker processes",
    })
    .option("beside", {
      group: "Server:",
      type: "string",
      defaultDescription: "socket.io,single",
      describe:
        "Also measured in the same run: socket.io and ws (bare, one process), single (a single instance)",
    })
    .option("passes", {
      group: "Server:",
      type: "number",
      defaultDescription: "2, with --nodes 1",
      describe: "Interleaved passes",
    })
    .option("nodes", {
      group: "Nodes:",
      type: "string",
      describe:
        "Instead: direct messages per second on a new cluster of each of these sizes; a node is a gateway and a worker",
    })
    .option("count", {
      group: "Nodes:",
      alias: "c",
      type: "number",
      defaultDescription: "50000",
      describe: "Messages per number of nodes",
    })
    .option("in-flight", {
      group: "Nodes:",
      alias: "t",
      type: "number",
      defaultDescription: "200",
      describe: "Messages in flight, and number of senders",
    })
    .option("receivers", {
      group: "Nodes:",
      type: "number",
      defaultDescription: "10",
      describe: "Receivers, addressed round-robin; all are online",
    })
    .example("$0 cluster --nodes 1,2,3,4", "messages/s and scaling efficiency per number of nodes")
    .example("$0 cluster --users 10000", "1, 2 and 4 gateways and a single instance: some minutes")
    .example("$0 cluster -u 10000 --threshold 'worstAt2VsSocketIo<=0.58'", "exit code 99 if slower");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  assertOneMode(args);
  if (args.nodes !== undefined) return compareNodes({ ...args, nodes: args.nodes });
  const plan = planOf(args);
  const gateways = (args.gateways ?? "1,2,4")
    .split(",")
    .map((n) => wholeNumber("gateways", Number(n), 1, MAX_PROCESSES));
  const workers = wholeNumber("workers", args.workers ?? 1, 1, MAX_PROCESSES);
  const passes = wholeNumber("passes", args.passes ?? 2, 1, 1000);
  const beside = besideNames(args.beside ?? "socket.io,single");
  const thresholds = parseThresholds(args.threshold, clusterMetricNames(gateways));
  const canSpreadAddresses = process.platform === "linux";
  checkLimits({ ...plan, messages: plannedMessages(plan), isLocalServer: true, canSpreadAddresses });
  await runCommand<ClusterResult>({
    command: "cluster",
    options: { ...plan, gateways, workers, beside, passes },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: (body) => clusterMetrics(body.rows),
    async measure(context) {
      const contestants = new Contestants(plan, context);
      const measurements: ClusterResult["passes"] = [];
      try {
        for (const name of beside) await contestants.open(name);
        await contestants.openCluster(gateways, workers);
        for (let pass = 0; pass < passes; pass++) {
          for (const contestant of contestants.all) {
            measurements.push(await contestants.measure(contestant));
          }
        }
      } catch (error) {
        if (!context.signal.aborted) throw error;
      }
      const gatewaysOf = (label: string) =>
        contestants.all.find((contestant) => contestant.label === label)?.spread ?? null;
      return { users: plan.users, rows: clusterRows(measurements, gatewaysOf), passes: measurements };
    },
    print: clusterSummary,
  });
}

/**
 * The command either broadcasts on gateways, or sends direct messages on nodes.
 * @throws {ExitError}
 */
function assertOneMode(args: ArgumentsCamelCase<Arguments>): void {
  const ofGateways = { gateways: args.gateways, workers: args.workers, beside: args.beside };
  const ofNodes = { count: args.count, "in-flight": args.inFlight, receivers: args.receivers };
  const foreign = Object.entries(args.nodes === undefined ? ofNodes : ofGateways)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (foreign.length === 0) return;
  throw usageError(
    args.nodes === undefined
      ? `Without --nodes there is no ${foreign.join(" and no ")}: add for example --nodes 1,2,3,4.`
      : `--nodes and ${foreign.join(" and ")} are mutually exclusive: --nodes sends direct messages to clusters with this many gateways ` +
          "and workers, --gateways broadcasts to the same members on this many gateways.",
  );
}

const BESIDE = ["socket.io", "ws", "single"] as const;
type Beside = (typeof BESIDE)[number];

function besideNames(text: string): Beside[] {
  const names = text === "" ? [] : [...new Set(text.split(","))];
  const unknown = names.filter((name) => !BESIDE.some((known) => known === name));
  if (unknown.length === 0) return names as Beside[];
  throw usageError(`--beside: unknown ${unknown.join(", ")}. Choices: ${BESIDE.join(", ")}.`);
}

interface Contestant {
  label: string;
  target: Target;
  prepared: Prepared;
  /** undefined: not a cluster. */
  spread: number | undefined;
}

/** All servers run the whole time, and one at a time has the audience. */
class Contestants {
  readonly all: Contestant[] = [];
  readonly #plan: BroadcastPlan;
  readonly #context: CommandContext;

  constructor(plan: BroadcastPlan, context: CommandContext) {
    this.#plan = plan;
    this.#context = context;
  }

  async open(name: Beside): Promise<void> {
    const isSingle = name === "single";
    const opened = await this.#open(isSingle ? "fanfare" : name, undefined);
    this.all.push({ ...opened, label: isSingle ? "single instance" : name, spread: undefined });
  }

  /** One cluster for all sizes: the audience is on its first gateways, and the others are idle. */
  async openCluster(gateways: readonly number[], workers: number): Promise<void> {
    const opened = await this.#open("fanfare", { gateways: Math.max(...gateways), workers });
    for (const spread of gateways) this.all.push({ ...opened, label: count(spread, "gateway"), spread });
  }

  async measure({ label, target, prepared, spread }: Contestant): Promise<ClusterResult["passes"][number]> {
    const { progress, signal } = this.#context;
    signal.throwIfAborted();
    const errors = new ErrorTable();
    const context = { target, prepared, plan: this.#plan, progress, errors, signal };
    const measurement = await measureBroadcast(spread === undefined ? context : { ...context, spread });
    return { label, ...measurement };
  }

  async #open(name: TargetName, cluster: { gateways: number; workers: number } | undefined) {
    const { progress, signal, defer } = this.#context;
    const options = {
      urls: [],
      cluster,
      metricsUrl: undefined,
      registrationConcurrency: this.#plan.window,
      onError: () => {},
    };
    const target = await openTarget(name, options, signal);
    defer(() => target.close());
    return { target, prepared: await target.prepare(this.#plan.users, progress, signal) };
  }
}
