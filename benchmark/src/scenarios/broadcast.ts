import { usageError } from "../cli/exit.ts";
import {
  CLUSTER_OPTIONS,
  clusterSizeOf,
  EXISTING_USERS_OPTIONS,
  flag,
  SERVER_OPTIONS,
  USERS_OPTION,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  broadcastPlan,
  checkBroadcastLimits,
  MESSAGE_OPTIONS,
  messagesText,
  type BroadcastPlan,
} from "../kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast } from "../kernels/broadcast/broadcast-run.ts";
import type { BroadcastMeasurement } from "../kernels/broadcast/broadcast-summary.ts";
import { applying, count, ms, serverText, whole } from "../report/format.ts";
import type { Outcome } from "../report/result.ts";
import { existingUsers } from "../targets/tokens.ts";
import { serverSpec, sizeOf } from "./contestants.ts";
import { openServer } from "../targets/open-target.ts";
import {
  BROADCAST_METRICS,
  broadcastDistributions,
  broadcastMetrics,
  broadcastSeries,
} from "./broadcast-outcome.ts";

export const broadcast = scenario({
  name: "broadcast",
  describe: "Time until the last of N members has a message",
  metrics: BROADCAST_METRICS,
  options: {
    ...SERVER_OPTIONS,
    ...EXISTING_USERS_OPTIONS,
    ...CLUSTER_OPTIONS,
    ...MESSAGE_OPTIONS,
    users: USERS_OPTION,
    each: flag("Result", "Also print a line for each message"),
  },
  examples: [
    ["$0 broadcast --users 10000", "one message at a time to 10,000 members"],
    ["$0 broadcast -u 10000 --burst 20,100", "then bursts of 20 and 100"],
    ["$0 broadcast -u 10000 --gateways 2", "a cluster, with the members spread over two gateways"],
    ["$0 broadcast -u 500 --url http://127.0.0.1:3000", "a running server"],
    ["$0 broadcast -u 1000 --threshold 'worstMs<100'", "for CI: exit code 99 if slower"],
  ],
  async plan(values) {
    const { target, url, metricsUrl, each } = values;
    const cluster = clusterSizeOf(values);
    const spec = serverSpec(values);
    const plan = broadcastPlan(values, values.users);
    if (cluster && (url !== undefined || target !== "fanfare")) {
      throw usageError("--gateways and --workers start a cluster for the run: omit --url and --target.");
    }
    const existing = await existingUsers(values, plan.users);
    await checkBroadcastLimits(plan, url);
    return {
      options: { ...plan, target, cluster },
      async measure(context: RunContext) {
        const place = { ...sizeOf(spec), url, cluster, metricsUrl, registrations: plan.connecting, existing };
        const server = await openServer(context, spec.name, place);
        const prepared = await server.prepare(plan.users, context.progress, context.signal);
        const measurement = await measureBroadcast({ ...context, target: server, prepared, plan });
        return broadcastOutcome(measurement, { plan, each, server: serverText(server) });
      },
    };
  },
});

function broadcastOutcome(
  measurement: BroadcastMeasurement,
  { plan, each, server }: { plan: BroadcastPlan; each: boolean; server: string },
): Outcome {
  const { users, client, rounds, generator } = measurement;
  const receivers = client.kind === "light" ? "light receiver" : "official client";
  return {
    title: `Broadcast to ${count(users, "member")}`,
    subtitle: applying(
      server,
      messagesText(plan),
      `${count(users - client.probes, receivers)} in ${count(client.threads, "thread")}`,
      client.probes > 0 && count(client.probes, "official client"),
    ),
    metrics: broadcastMetrics(measurement),
    distributions: broadcastDistributions(measurement),
    series: broadcastSeries(measurement),
    tables: each ? [{ label: "Messages one by one", rows: roundRows(rounds) }] : [],
    caveats: applying(
      ...generator.verdicts,
      measurement.server.connected === null && "Server metrics unavailable; pass --metrics-url.",
    ),
  };
}

function roundRows(rounds: BroadcastMeasurement["rounds"]): string[][] {
  return [
    ["", "acknowledged", "p50", "p99", "last member", "received", "lost", "duplicates", "out of order"],
    ...rounds.map((round) => [
      round.kind,
      ms(round.ackMs),
      ms(round.latencyMs?.p50),
      ms(round.latencyMs?.p99),
      ms(round.p100Ms),
      ...[round.received, round.lost, round.duplicates, round.outOfOrder].map(whole),
    ]),
  ];
}
