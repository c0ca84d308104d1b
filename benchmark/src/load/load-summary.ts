import { styleText } from "node:util";
import type { Bucket } from "../measure/histogram.ts";
import { PERCENTILES, type OpenPercentiles } from "../measure/percentiles.ts";
import { count, duration, mib, ms, short, shortOrDash, table, whole } from "../report/format.ts";
import type { LoadResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { LoadMeasurement } from "./load-result.ts";

const BAR_CHARS = 50;
const TITLES: Record<LoadResult["command"], string> = {
  login: "Logins",
  direct: "Direct messages",
  group: "Group messages",
  chatroom: "Chatroom",
};

/** The complete result of a load as text. */
export function loadSummary(result: LoadResult): string {
  const interrupted = styleText("yellow", "  Interrupted: partial result.");
  return [
    title(result),
    ...(result.interrupted ? [interrupted] : []),
    "",
    ...headline(result),
    ...countLines(result),
    "",
    ...section("Times since the intended sending", latencyLines(result)),
    ...section(histogramHeading(result), histogramLines((result.delivery ?? result.ack).bars)),
    ...section("Server", serverLines(result)),
    ...section("Tester", testerLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function title({ command, target, scene, loop, warmUp }: LoadResult): string {
  const server = target.isThrowaway
    ? `${target.name}, started for this run`
    : `${target.name} at ${target.url}`;
  const who =
    command === "login"
      ? count(scene.users, "user")
      : `${count(scene.senders, "sender")}, ${whole(scene.online)} of ${count(scene.users, "user")} online`;
  const where =
    scene.groups === null
      ? scene.channels > 0
        ? `, ${count(scene.channels, "channel")}`
        : ""
      : `, ${count(scene.groups, "group")} of ${whole(scene.members!)}`;
  const pace =
    loop.kind === "closed"
      ? `${whole(loop.requests)} requests, concurrency ${whole(loop.inFlight)} (closed loop)`
      : `${whole(loop.requests)} requests, ${whole(loop.perSecond)}/s for ${duration(loop.durationMs)} (open loop)`;
  return (
    styleText("bold", `${TITLES[command]} · ${server}`) +
    `\n${who}${where}\n${pace}, after a warm-up of ${whole(warmUp.requests)}`
  );
}

function headline({ rates, measuredMs, server }: LoadMeasurement): string[] {
  const perCpu = (value: number | null) => (value === null ? "" : `  ${whole(value)} per server CPU second`);
  const line = (name: string, perSecond: number | null, perCpuSecond: number | null) =>
    `  ${styleText("bold", `${name.padEnd(13)}${perSecond === null ? "–" : `${whole(perSecond)}/s`}`)}${perCpu(perCpuSecond)}`;
  return [
    line("acknowledged", rates.acknowledgedPerSecond, rates.acknowledgedPerCpuSecond),
    ...(rates.deliveriesPerSecond === null
      ? []
      : [line("delivered", rates.deliveriesPerSecond, rates.deliveriesPerCpuSecond)]),
    `  in ${measuredMs === null ? "–" : duration(measuredMs)}` +
      (server.cores === null ? "" : `, with ${short(server.cores)} server cores`),
  ];
}

function countLines({ counts, rates, delivery }: LoadMeasurement): string[] {
  const {
    lost,
    duplicates,
    outOfOrder,
    corrupted,
    unstored,
    storedTwice,
    refused,
    unanswered,
    missed,
    dropped,
  } = counts;
  const faultCounts = [lost, duplicates, outOfOrder, corrupted, unstored, storedTwice, unanswered, dropped];
  const isClean = faultCounts.every((n) => (n ?? 0) === 0);
  const optional = (amount: number, text: string) => (amount === 0 ? "" : ` · ${text} ${whole(amount)}`);
  const faults =
    `  lost ${whole(lost)} · duplicates ${whole(duplicates)} · ` +
    (outOfOrder === undefined ? "" : `out of order ${whole(outOfOrder)} · `) +
    (corrupted ? `corrupted ${whole(corrupted)} · ` : "") +
    "acknowledged but not persisted " +
    (unstored === null ? "not counted" : whole(unstored)) +
    optional(storedTwice ?? 0, "stored twice") +
    optional(refused, "refused") +
    optional(unanswered, "unanswered") +
    optional(missed, "missed by the tester") +
    optional(dropped, "connections dropped") +
    optional(counts.resyncs, "told to resync");
  const received = delivery
    ? ` · ${whole(counts.received)} of ${whole(counts.expected)} deliveries received` +
      (rates.receivedShare === null ? "" : ` (received ÷ expected ${rates.receivedShare.toFixed(4)})`)
    : "";
  const stored = counts.stored === null ? "" : ` · ${whole(counts.stored)} stored`;
  return [
    delivery ? styleText(isClean ? "green" : "red", faults) : loginFaults(counts, isClean),
    `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged${stored}${received}`,
  ];
}

function loginFaults({ refused, unanswered, missed }: LoadMeasurement["counts"], isClean: boolean): string {
  const text = `  rejected ${whole(refused)} · unanswered ${whole(unanswered)} · missed by the tester ${whole(missed)}`;
  return styleText(isClean && refused === 0 ? "green" : "red", text);
}

function latencyLines({ ack, delivery, lastDelivery }: LoadMeasurement): string[] {
  const row = (label: string, values: OpenPercentiles | null | undefined) => [
    label,
    ...PERCENTILES.map((p) => shortOrDash(values?.[`p${p}`] ?? null)),
  ];
  return [
    table([
      ["ms", ...PERCENTILES.map((p) => `p${p}`)],
      row("time to answer", ack.latencyMs),
      ...(delivery
        ? [row("each delivery", delivery.latencyMs), row("full delivery", lastDelivery?.latencyMs)]
        : []),
    ]),
  ];
}

function histogramHeading({ delivery }: LoadMeasurement): string {
  return delivery ? "Deliveries" : "Answers";
}

function histogramLines(bars: readonly Bucket[]): string[] {
  const most = Math.max(...bars.map((bar) => bar.count));
  const rows = bars.map((bar) => [
    `${short(bar.fromMs)} – ${short(bar.toMs)} ms`,
    whole(bar.count),
    "█".repeat(Math.ceil((bar.count / most) * BAR_CHARS)),
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([range = "", amount = "", bar = ""]) =>
    `  ${range.padStart(widths[0]!)}  ${amount.padStart(widths[1]!)}  ${bar}`.trimEnd(),
  );
}

function serverLines({ server }: LoadMeasurement): string[] {
  if (server.cpuSeconds === null && server.rssAfterBytes === null)
    return ["  Server metrics unavailable; pass --metrics-url."];
  return [
    `  CPU ${server.cpuSeconds === null ? "–" : `${short(server.cpuSeconds)} s`} · RSS ${mib(server.rssBeforeBytes)} before, ` +
      `${mib(server.rssAfterBytes)} after, ${mib(server.rssMaxBytes)} maximum · ` +
      `longest event-loop delay ${ms(server.eventLoopMaxMs)}`,
  ];
}

function testerLines({ generator, threads }: LoadMeasurement): string[] {
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);
  const others = generator.otherProgramsCores;
  return [
    `  ${count(threads.sending, "sending thread")}, the busiest ${percent(generator.senderBusy)} busy · ` +
      `${count(threads.receiving, "receiving thread")}, ${percent(generator.receiverBusy)} · ` +
      `late by ${ms(generator.sentLateMs?.p99)} (p99), ${ms(generator.sentLateMs?.p100)} (maximum)`,
    `  CPU ${short(generator.cpuSeconds)} s · RSS ${mib(generator.rssBytes)}` +
      (others === null ? "" : ` · other programs used ${count(Number(others.toFixed(1)), "core")}`),
    ...(generator.verdicts.length === 0
      ? [styleText("green", "  The tester was not the bottleneck.")]
      : generator.verdicts.map((verdict) => styleText("yellow", `  ${verdict}`))),
  ];
}
