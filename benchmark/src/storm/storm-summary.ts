import { styleText } from "node:util";
import { clusterName, duration, mib, ms, short, table, whole } from "../report/format.ts";
import type { StormResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { StormMeasurement, StormPhase } from "./storm-result.ts";

/** First what was lost, then how long users were affected. */
export function stormSummary(result: StormResult): string {
  const { users, sdkClients, gateways, workers, messagesPerSecond } = result;
  return [
    styleText(
      "bold",
      `Storm · ${whole(users)} users, ${sdkClients} of them with the SDK · ` +
        `${clusterName({ gateways, workers })} · ${short(messagesPerSecond)} messages/s`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...headline(result),
    "",
    ...section("Phases", [phaseTable(result.phases)]),
    ...section("Times", timeLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function headline({ counts, exactCopies, sdkClients }: StormMeasurement): string[] {
  const { lost, unstored, storedTwice, failed, away } = counts;
  const isClean = [lost, unstored, storedTwice, away].every((n) => n === 0) && exactCopies === sdkClients;
  const unknown = (value: number | null) => (value === null ? "not counted" : whole(value));
  return [
    styleText(
      isClean ? "green" : "red",
      `  lost ${whole(lost)} · acknowledged but not persisted ${unknown(unstored)} · ` +
        `stored twice ${unknown(storedTwice)} · not recovered ${whole(away)} · ` +
        `SDK copies equal to the database ${unknown(exactCopies)} of ${sdkClients}`,
    ),
    `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged · ${unknown(counts.stored)} stored · ` +
      `${whole(counts.expected - lost)} of ${whole(counts.expected)} deliveries` +
      (failed > 0 ? styleText("red", ` · ${whole(failed)} failed`) : ""),
    `  ${whole(counts.moved)} connections lost and reopened · ${whole(counts.recovered)} deliveries by sync` +
      ` · ${whole(counts.duplicates)} duplicate events` +
      (counts.resyncs > 0 ? ` · told to resync ${whole(counts.resyncs)}` : ""),
  ];
}

function phaseTable(phases: readonly StormPhase[]): string {
  const seconds = (value: number | null) => (value === null ? "–" : duration(value));
  const header = [
    "",
    "moved",
    "servers restarted",
    "all recovered",
    "sent",
    "ack max",
    "p50",
    "p99",
    "worst second p100",
    "seconds disturbed",
  ];
  const rows = phases.map((phase) => [
    phase.name,
    whole(phase.moved),
    seconds(phase.serversBackMs),
    seconds(phase.allBackMs),
    `${whole(phase.acknowledged)} of ${whole(phase.sent)}`,
    ms(phase.ackMaxMs),
    ms(phase.latencyMs?.p50),
    ms(phase.latencyMs?.p99),
    ms(phase.p100Ms),
    phase.disturbedSeconds === null ? "" : `${phase.disturbedSeconds} of ${phase.secondsP100Ms.length}`,
  ]);
  return table([header, ...rows]);
}

function timeLines({ server, phases }: StormMeasurement): string[] {
  const busiest = Math.max(0, ...phases.map((phase) => phase.receiverBusy ?? 0));
  return [
    "  From the intended sending until the last member had the message, by event or by sync.",
    `  Servers: RSS ${mib(server.before?.rssBytes)} before, ${mib(server.after?.rssBytes)} after · ` +
      `tester: busiest receiving thread ${Math.round(busiest * 100)} % of a core`,
  ];
}
