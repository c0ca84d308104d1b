import type { Argv } from "yargs";
import {
  clusterOptions,
  clusterSizeOf,
  duration,
  payloadBytes,
  payloadOption,
  receiverOptions,
  threadCount,
  wholeNumber,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { openFanfare } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import { checkLimits } from "../cli/preflight.ts";
import { clusterName, count, short, whole } from "../report/format.ts";
import { metrics, type Metric } from "../report/metric.ts";
import type { Outcome, Series } from "../report/result.ts";
import { FAULTS, mostMessages, type Fault, type StormPlan } from "../kernels/storm/storm-plan.ts";
import type { StormMeasurement } from "../kernels/storm/storm-result.ts";
import { measureStorm } from "../kernels/storm/storm-run.ts";
import { usersOption } from "./broadcast.ts";

const MAX_REGISTRATIONS = 100;
const CONNECT_TIMEOUT_MS = 15_000;

export const storm = scenario({
  name: "storm",
  describe: "Gateways restart and crash with members online: what is lost, and how long users are affected",
  metrics: [
    "lost",
    "unstored",
    "storedTwice",
    "away",
    "inexactCopies",
    "worstSecondMs",
    "recoveredMs",
    "serversBackMs",
    "ackMaxMs",
    "p50Ms",
    "p99Ms",
    "disturbedSeconds",
    "sent",
    "acknowledged",
    "failed",
    "stored",
    "expected",
    "moved",
    "recovered",
    "duplicateEvents",
    "resyncs",
    "rssBytes",
    "receiverBusy",
  ],
  options: (yargs: Argv) =>
    usersOption(payloadOption(receiverOptions(clusterOptions(yargs))))
      .default("gateways", 2)
      .option("sdk", {
        group: "Receivers:",
        type: "number",
        default: 20,
        describe: "Users with the SDK, behind a load balancer; the others are light receivers",
      })
      .option("senders", {
        group: "Messages:",
        type: "number",
        default: 4,
        describe: "Number of SDK users who send",
      })
      .option("rate", {
        group: "Messages:",
        type: "number",
        default: 5,
        describe: "Messages per second in total",
      })
      .option("steady", {
        group: "Messages:",
        type: "string",
        default: "5s",
        describe: "Time without a fault, as the baseline",
      })
      .option("faults", {
        group: "Server:",
        type: "string",
        default: FAULTS.join(","),
        describe: "rolling: gateways restart one by one; kill: kill -9 of one; all: of all at once",
      })
      .option("timeout", {
        group: "Server:",
        type: "string",
        default: "60s",
        describe: "How long to wait, per fault, until all have recovered",
      })
      .example("$0 storm -u 100 --gateways 0", "a single instance restarts")
      .example("$0 storm --users 10000", "two gateways: rolling restart, kill -9 of one, and of both")
      .example(
        "$0 storm -u 2000 --faults rolling --threshold 'worstSecondMs[phase=rolling 1]<1000'",
        "for CI",
      ),
  plan(args) {
    const sdk = wholeNumber("sdk", args.sdk, 1, 500);
    const users = wholeNumber("users", args.users, sdk + 1, 1_000_000);
    if (!(args.rate > 0 && args.rate <= 1000)) throw usageError("--rate must be above 0 and at most 1000.");
    const plan: StormPlan = {
      users,
      sdk,
      senders: wholeNumber("senders", args.senders, 1, sdk),
      cluster: args.gateways === 0 ? undefined : clusterSizeOf(args),
      faults: faultNames(args.faults),
      messagesPerSecond: args.rate,
      steadyMs: duration("steady", args.steady, 1000),
      timeoutMs: duration("timeout", args.timeout, 1000),
      workers: threadCount(args.threads, users),
      napMs: wholeNumber("nap", args.nap, 0, 100),
      // Reconnecting clients don't wait for each other.
      window: users,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      payloadBytes: payloadBytes(args.payload),
    };
    const registrations = Math.min(wholeNumber("connecting", args.connecting, 1, 10_000), MAX_REGISTRATIONS);
    const canSpreadAddresses = process.platform === "linux";
    checkLimits({
      users,
      messages: mostMessages(plan),
      kind: "light",
      isLocalServer: true,
      canSpreadAddresses,
    });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { progress, errors, signal } = context;
        const target = await openFanfare(context, { cluster: plan.cluster, registrations });
        return stormOutcome(await measureStorm({ target, plan, progress, errors, signal }));
      },
    };
  },
});

function faultNames(text: string): Fault[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !FAULTS.some((known) => known === name));
  if (unknown.length === 0) return names as Fault[];
  throw usageError(`--faults: unknown ${unknown.join(", ")}. Choices: ${FAULTS.join(", ")}.`);
}

function stormOutcome(measured: StormMeasurement): Outcome {
  const { users, sdkClients, messagesPerSecond, phases, errors } = measured;
  return {
    title: "Gateways restart and crash with members online",
    subtitle: [
      clusterName(measured),
      `${count(users, "member")}, ${whole(sdkClients)} of them with the SDK`,
      `${short(messagesPerSecond)} messages/s`,
      "times from the intended sending until the last member had the message, by event or by sync",
    ],
    metrics: stormMetrics(measured),
    series: secondsSeries(phases),
    errors,
  };
}

export function stormMetrics({
  users,
  gateways,
  phases,
  counts,
  exactCopies,
  sdkClients,
  server,
}: StormMeasurement): Metric[] {
  const labels = { members: users, gateways: gateways ?? 0 };
  const worst = (values: readonly (number | null)[]) =>
    values.length === 0 || values.includes(null) ? null : Math.max(...values.map(Number));
  const faults = phases.filter(({ serversBackMs }) => serversBackMs !== null);
  return [
    ...metrics(
      {
        worstSecondMs: worst(phases.map(({ p100Ms }) => p100Ms)),
        recoveredMs: faults.length === 0 ? undefined : worst(faults.map(({ allBackMs }) => allBackMs)),
        lost: counts.lost,
        unstored: counts.unstored ?? undefined,
        storedTwice: counts.storedTwice ?? undefined,
        away: counts.away,
        inexactCopies: exactCopies === null ? undefined : sdkClients - exactCopies,
      },
      labels,
    ),
    ...phases.flatMap((phase) =>
      metrics(
        {
          worstSecondMs: phase.p100Ms,
          recoveredMs: phase.allBackMs ?? undefined,
          serversBackMs: phase.serversBackMs ?? undefined,
          ackMaxMs: phase.ackMaxMs,
          p50Ms: phase.latencyMs?.p50 ?? null,
          p99Ms: phase.latencyMs?.p99 ?? null,
          disturbedSeconds: phase.disturbedSeconds ?? undefined,
          moved: phase.moved,
          receiverBusy: phase.receiverBusy ?? undefined,
        },
        { ...labels, phase: phase.name },
      ),
    ),
    ...metrics(
      {
        sent: counts.sent,
        acknowledged: counts.acknowledged,
        failed: counts.failed,
        moved: counts.moved,
        stored: counts.stored ?? undefined,
        expected: counts.expected,
        recovered: counts.recovered,
        duplicateEvents: counts.duplicates,
        resyncs: counts.resyncs,
      },
      labels,
    ),
    ...metrics({ rssBytes: server.before?.rssBytes }, { ...labels, when: "before" }),
    ...metrics({ rssBytes: server.after?.rssBytes }, { ...labels, when: "after" }),
  ];
}

function secondsSeries(phases: StormMeasurement["phases"]): Series[] {
  const seconds = phases.flatMap(({ name, secondsP100Ms }) =>
    secondsP100Ms.map((p100Ms) => ({ name, p100Ms })),
  );
  return [
    {
      label: "Time to the last member, by second of sending",
      x: "seconds of sending",
      y: "ms",
      kind: "columns",
      points: seconds.map(({ name, p100Ms }, i) => ({
        x: i + 1,
        y: p100Ms,
        kind: name.startsWith("steady") ? "steady" : "during and after a fault",
      })),
    },
  ];
}
