import { styleText } from "node:util";
import { clusterName, count, duration, kib, mib, ms, short, table, whole } from "../report/format.ts";
import type { ConnectResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { ConnectMeasurement } from "./connect-result.ts";

/** How many connections are held, what each of them takes, and whether all of them receive messages. */
export function connectSummary(result: ConnectResult): string {
  return [
    title(result),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    headline(result),
    "",
    ...section("Connecting", connectionLines(result)),
    ...section("Memory per connection", memoryLines(result)),
    ...section("Held", holdLines(result)),
    ...section("Messages to all", messageLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function title({ users, target, gateways, workers, client }: ConnectMeasurement): string {
  const server = target.isThrowaway
    ? `${clusterName({ gateways, workers })}, started for this run`
    : target.url;
  return (
    styleText("bold", `Connect ${whole(users)} users · ${server}`) +
    `\nlight receivers in ${client.processes} ${client.processes === 1 ? "process" : "processes"} that answer heartbeats`
  );
}

function headline({ counts, users }: ConnectMeasurement): string {
  const { corrupted = 0 } = counts;
  const isClean = counts.gaveUp + counts.dropped + counts.lost + counts.duplicates + corrupted === 0;
  const line =
    `  ${whole(counts.online)} of ${whole(users)} online · dropped ${whole(counts.dropped)} · ` +
    `lost ${whole(counts.lost)} · duplicates ${whole(counts.duplicates)} · out of order ${whole(counts.outOfOrder)}` +
    (corrupted > 0 ? ` · corrupted ${whole(corrupted)}` : "") +
    (counts.resyncs > 0 ? ` · told to resync ${whole(counts.resyncs)}` : "");
  return styleText(isClean ? "green" : "red", line);
}

function connectionLines({ connection, registration, otherProgramsCores }: ConnectMeasurement): string[] {
  const lines: string[] = [];
  if (registration) {
    lines.push(
      `  registered and joined ${whole(registration.users)} in ${duration(registration.durationMs)}` +
        ` · ${whole(registration.perSecond)}/s`,
    );
  }
  if (connection) {
    const perCpu = connection.perServerCpuSecond;
    lines.push(
      `  connected and online ${whole(connection.users)} in ${duration(connection.durationMs)}` +
        ` · ${whole(connection.perSecond)}/s` +
        (perCpu === null ? "" : ` · ${whole(perCpu)} per second of server CPU`) +
        ` · p99 ${ms(connection.onlineMs?.p99)}`,
    );
  }
  if (otherProgramsCores !== null) {
    lines.push(
      `  other programs used ${count(Number(otherProgramsCores.toFixed(1)), "core")}, including receivers`,
    );
  }
  return lines;
}

function memoryLines({ bytesPerConnection: bytes }: ConnectMeasurement): string[] {
  if (!bytes) return [];
  const kinds = Object.entries(bytes.serverByKind ?? {}).map(([kind, size]) => `${kind} ${kib(size)}`);
  const objects = (bytes.kernelObjects ?? []).map(({ name, bytes: size }) => `${name} ${kib(size)}`);
  const ends = bytes.isKernelOfBothEnds ? " for both ends; half of it is the server's" : "";
  return [
    `  server  ${kib(bytes.server)}` + (kinds.length === 0 ? "" : `   ${kinds.join(" · ")}`),
    `  kernel  ${kib(bytes.kernel)}${ends}`,
    ...(objects.length === 0 ? [] : [`          ${objects.join(" · ")}`]),
    `  tester  ${kib(bytes.tester)}`,
  ];
}

function holdLines({ hold, server }: ConnectMeasurement): string[] {
  if (!hold) return [];
  const cpu = hold.cpuSecondsPerConnectionHour;
  return [
    `  ${duration(hold.heldMs)} of ${duration(hold.plannedMs)}` +
      ` · server RSS ${mib(server.connected?.rssBytes)} at the start, ${mib(server.afterHold?.rssBytes)} at the end`,
    ...(cpu === null ? [] : [`  ${short(cpu * 1000)} ms of server CPU per connection and hour`]),
  ];
}

function messageLines({ messages, counts }: ConnectMeasurement): string[] {
  if (messages.length === 0) return [];
  const header = ["", "acknowledged", "p50", "p99", "p100", "received", "lost", "duplicates", "out of order"];
  const rows = messages.map((message, i) => [
    `message ${i + 1}`,
    ms(message.ackMs),
    ms(message.latencyMs?.p50),
    ms(message.latencyMs?.p99),
    ms(message.p100Ms),
    ...[message.received, message.lost, message.duplicates, message.outOfOrder].map(whole),
  ]);
  const stored = counts.stored === null ? "not counted" : whole(counts.stored);
  return [
    table([header, ...rows]),
    `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged · ${stored} stored · ` +
      `${whole(counts.received)} of ${whole(counts.expected)} deliveries received`,
  ];
}
