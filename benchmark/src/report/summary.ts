import { styleText } from "node:util";
import type { Bucket } from "../measure/histogram.ts";
import { PERCENTILES } from "../measure/percentiles.ts";
import { gatewayThreadsText } from "./environment-line.ts";
import { count, duration, kib, mib, ms, ratio, short, shortOrDash, table, whole } from "./format.ts";
import type { BroadcastMeasurement, BroadcastResult, BurstResult, RoundResult } from "./result.ts";

const BAR_CHARS = 50;

/** The complete result of a broadcast as text, starting with the time to the last member. */
export function broadcastSummary(result: BroadcastResult, options: { everyRound: boolean }): string {
  return [
    title(result),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    headline(result),
    countsLine(result),
    "",
    ...section(`Warm messages, time until each member has it`, latencyLines(result)),
    ...section("Messages one by one", options.everyRound ? [roundsTable(result.rounds)] : []),
    ...section("Bursts (messages sent in the same instant)", burstLines(result.bursts)),
    ...section("Setup", preparationLines(result)),
    ...section("Server", serverLines(result)),
    ...section("Tester", testerLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function title({ users, target, client, options }: BroadcastResult): string {
  const threads = target.name === "fanfare" && !options["cluster"] ? gatewayThreadsText(options) : "";
  const server = target.isThrowaway
    ? `${target.name}, started for this run${threads && ` with ${threads}`}`
    : `${target.name} at ${target.url}`;
  const kind = client.kind === "light" ? "light receivers" : "official clients";
  const nap = client.kind === "light" && client.napMs > 0 ? `, reading every ${client.napMs} ms` : "";
  const probes = client.probes > 0 ? ` and ${count(client.probes, "official client")} as probes` : "";
  return (
    styleText("bold", `Broadcast to ${whole(users)} users · ${server}`) +
    `\n${whole(users - client.probes)} ${kind} in ${count(client.workers, "thread")}${nap}${probes}`
  );
}

function headline({ warm, rounds, first, cold }: BroadcastMeasurement): string {
  const p100 = warm.p100Ms;
  const warmRounds = rounds.filter(({ kind }) => kind === "warm");
  const messages = count(warmRounds.length, "warm message");
  const incomplete = warmRounds.filter(({ p100Ms }) => p100Ms === null);
  const slowest = p100
    ? `until the last member had the slowest of ${messages}`
    : `${whole(incomplete.length)} of ${messages} did not reach everyone`;
  const slower = p100 && cold?.p100Ms ? `, ${ratio(cold.p100Ms / p100.median)} the median` : "";
  return [
    `  ${styleText("bold", `worst   ${ms(p100?.max)}`)}   ${slowest}`,
    `  median  ${ms(p100?.median)}   of these messages`,
    `  cold    ${ms(cold?.p100Ms)}   the first message after an idle time${slower}`,
    ...(first
      ? [`  first   ${ms(first.p100Ms)}   the first message after connecting (cold code paths)`]
      : []),
  ].join("\n");
}

function countsLine({ counts, interrupted }: BroadcastResult): string {
  const { corrupted = 0, storedTwice } = counts;
  const faults =
    `  lost ${whole(counts.lost)} · duplicates ${whole(counts.duplicates)} · ` +
    `out of order ${whole(counts.outOfOrder)}` +
    (counts.dropped > 0 ? ` · connections dropped ${whole(counts.dropped)}` : "") +
    (counts.resyncs > 0 ? ` · told to resync ${whole(counts.resyncs)}` : "") +
    (corrupted > 0 ? ` · corrupted ${whole(corrupted)}` : "") +
    (storedTwice ? ` · stored twice ${whole(storedTwice)}` : "") +
    (counts.foreign > 0 ? ` · foreign messages ${whole(counts.foreign)}` : "");
  const { lost, duplicates, outOfOrder, dropped } = counts;
  const isClean = lost + duplicates + outOfOrder + corrupted + dropped + (storedTwice ?? 0) === 0;
  const unknown = interrupted ? "stored not counted" : "not stored by this server";
  const stored = counts.stored === null ? unknown : `${whole(counts.stored)} stored`;
  return [
    styleText(isClean ? "green" : "red", faults),
    `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged · ${stored} · ` +
      `${whole(counts.received)} of ${whole(counts.expected)} deliveries received`,
  ].join("\n");
}

function latencyLines({ warm }: BroadcastMeasurement): string[] {
  const { latencyMs } = warm;
  if (!latencyMs) return [];
  const header = ["", ...PERCENTILES.map((p) => `p${p}`)];
  const row = ["ms", ...PERCENTILES.map((p) => shortOrDash(latencyMs[`p${p}`]))];
  return [table([header, row]), "", histogramChart(warm.histogram)];
}

function histogramChart(buckets: readonly Bucket[]): string {
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const rows = buckets.map((bucket) => {
    const bar = "█".repeat(Math.ceil((bucket.count / most) * BAR_CHARS));
    return { range: `${short(bucket.fromMs)} – ${short(bucket.toMs)} ms`, amount: whole(bucket.count), bar };
  });
  const rangeWidth = Math.max(...rows.map((row) => row.range.length));
  const amountWidth = Math.max(...rows.map((row) => row.amount.length));
  return rows
    .map((row) =>
      `  ${row.range.padStart(rangeWidth)}  ${row.amount.padStart(amountWidth)}  ${row.bar}`.trimEnd(),
    )
    .join("\n");
}

function roundsTable(rounds: readonly RoundResult[]): string {
  const header = ["", "acknowledged", "p50", "p99", "p100", "received", "lost", "duplicates", "out of order"];
  const rows = rounds.map((round) => [
    round.kind,
    ms(round.ackMs),
    ms(round.latencyMs?.p50),
    ms(round.latencyMs?.p99),
    ms(round.p100Ms),
    ...[round.received, round.lost, round.duplicates, round.outOfOrder].map(whole),
  ]);
  return table([header, ...rows]);
}

function burstLines(bursts: readonly BurstResult[]): string[] {
  if (bursts.length === 0) return [];
  const header = [
    "",
    "full delivery",
    "deliveries/s",
    "per server CPU second",
    "server CPU",
    "lost",
    "duplicates",
    "out of order",
  ];
  const rows = bursts.map((burst) => [
    `burst of ${burst.messages}`,
    ms(burst.allMs),
    burst.deliveriesPerSecond === null ? "–" : whole(burst.deliveriesPerSecond),
    burst.deliveriesPerCpuSecond === null ? "–" : whole(burst.deliveriesPerCpuSecond),
    burst.serverCpuSeconds === null ? "–" : ms(burst.serverCpuSeconds * 1000),
    ...[burst.lost, burst.duplicates, burst.outOfOrder].map(whole),
  ]);
  return [table([header, ...rows])];
}

function preparationLines({ registration, connection }: BroadcastMeasurement): string[] {
  const line = (what: string, part: { users: number; durationMs: number; perSecond: number }, p99?: number) =>
    `  ${what} ${whole(part.users)} in ${duration(part.durationMs)} · ${whole(part.perSecond)}/s` +
    (p99 === undefined ? "" : ` · p99 ${ms(p99)}`);
  return [
    ...(registration ? [line("registered and joined", registration, registration.userMs?.p99)] : []),
    ...(connection ? [line("connected and online ", connection, connection.onlineMs?.p99)] : []),
  ];
}

function serverLines({ server }: BroadcastMeasurement): string[] {
  const rows = (
    [
      ["before connecting", server.beforeConnect],
      ["all online, idle", server.connected],
      ["after the messages", server.afterRounds],
      ["after the bursts", server.afterBursts],
    ] as const
  ).flatMap(([label, usage]) => {
    if (!usage) return [];
    const cpu = usage.cpuSeconds === null ? "–" : `${short(usage.cpuSeconds)} s`;
    return [[label, mib(usage.rssBytes), cpu, ms(usage.eventLoopP99Ms), ms(usage.eventLoopMaxMs)]];
  });
  if (rows.length === 0) return ["  Server metrics unavailable; pass --metrics-url."];
  const perMessage =
    server.cpuMsPerMessage === null ? "" : ` · ${ms(server.cpuMsPerMessage)} of CPU per message`;
  return [
    table([["", "RSS", "CPU total", "loop delay p99", "max"], ...rows]),
    `  ${kib(server.rssPerConnectionBytes)} per connection${perMessage}`,
  ];
}

function testerLines({ generator }: BroadcastMeasurement): string[] {
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);
  const others = generator.otherProgramsCores;
  return [
    `  receiving thread busy ${percent(generator.receiverBusy)} of the delivery time, waiting for a core ` +
      `${percent(generator.receiverWaiting)} · sending thread late by ${ms(generator.senderDelayMs)}`,
    `  CPU ${short(generator.cpuSeconds)} s · RSS ${mib(generator.rssBytes)}` +
      (others === null ? "" : ` · other programs used ${count(Number(others.toFixed(1)), "core")}`),
    ...(generator.verdicts.length === 0 && generator.receiverBusy !== null
      ? [styleText("green", "  The tester was not the bottleneck.")]
      : generator.verdicts.map((verdict) => styleText("yellow", `  ${verdict}`))),
  ];
}

export function errorTable(errors: BroadcastMeasurement["errors"]): string {
  return table(errors.map(({ phase, code, count: times }) => [`${phase}  ${code}`, whole(times)]));
}

export function thresholdLines({ thresholds }: Pick<BroadcastResult, "thresholds">): string[] {
  return thresholds.map(({ expression, value, passed }) =>
    styleText(
      passed ? "green" : "red",
      `  ${passed ? "passed" : "FAILED"}  ${expression}  (${value === null ? "not measured" : short(value)})`,
    ),
  );
}

export function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [styleText("bold", heading), ...lines, ""];
}
