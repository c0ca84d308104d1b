import { PERCENTILES } from "../../measure/percentiles.ts";
import { columnChart } from "../charts/column-chart.ts";
import type { Colour } from "../charts/frame.ts";
import { count, duration, kib, mib, ms, ratio, short, shortOrDash, whole } from "../format.ts";
import type { BroadcastMeasurement, RoundKind } from "../result.ts";
import type { Block, Document, Tile } from "./document.ts";
import { sampleCharts } from "./sample-charts.ts";

export function broadcastDocument(result: BroadcastMeasurement): Document {
  const { users, target, client } = result;
  const receivers = client.kind === "light" ? "light receivers" : "official clients";
  return {
    title: `Broadcast to ${whole(users)} members`,
    subtitle:
      `${target.name}${target.isThrowaway ? ", started for this run" : ` at ${target.url}`} · ` +
      `${whole(users - client.probes)} ${receivers}, ${count(client.probes, "official client")} as probes`,
    blocks: [
      { kind: "tiles", tiles: tiles(result) },
      roundsChart(result),
      ...latencyBlocks(result),
      ...sampleCharts(result.server.samples),
      ...burstBlocks(result),
      preparation(result),
      ...testerBlocks(result),
    ],
  };
}

function tiles({ warm, cold, counts, server }: BroadcastMeasurement): Tile[] {
  const p100 = warm.p100Ms;
  const { corrupted = 0 } = counts;
  const faults = counts.lost + counts.duplicates + counts.outOfOrder + corrupted;
  return [
    {
      label: "worst message, time to the last member",
      value: ms(p100?.max),
      note: p100 ? "the slowest of the warm messages" : "unknown",
    },
    { label: "median message, time to the last member", value: ms(p100?.median) },
    {
      label: "cold, after an idle time",
      value: ms(cold?.p100Ms),
      ...(p100 && cold?.p100Ms ? { note: `${ratio(cold.p100Ms / p100.median)} the median` } : {}),
    },
    {
      label: "lost · duplicated · out of order · corrupted",
      value: [counts.lost, counts.duplicates, counts.outOfOrder, corrupted].map(whole).join(" · "),
      note: `${whole(counts.received)} of ${whole(counts.expected)} deliveries`,
      tone: faults === 0 ? "good" : "bad",
    },
    {
      label: "acknowledged · stored",
      value: `${whole(counts.acknowledged)} · ${counts.stored === null ? "–" : whole(counts.stored)}`,
      note: `${whole(counts.sent)} sent`,
    },
    { label: "server CPU per message", value: ms(server.cpuMsPerMessage) },
    { label: "memory per connection", value: kib(server.rssPerConnectionBytes) },
  ];
}

const KIND_COLOURS: Record<RoundKind, Colour> = { first: "four", warmup: "quiet", cold: "two", warm: "one" };

function roundsChart({ rounds }: BroadcastMeasurement): Block {
  const kinds = [...new Set(rounds.map(({ kind }) => kind))];
  const svg = columnChart({
    description: "Time to the last member, by message",
    x: "messages in order",
    y: "ms to the last member",
    columns: rounds.map(({ kind, p100Ms, ackMs }, i) => ({
      label: String(i + 1),
      value: p100Ms,
      colour: KIND_COLOURS[kind],
      title: `message ${i + 1}, ${kind}: p100 ${ms(p100Ms)}, acknowledged after ${ms(ackMs)}`,
    })),
    legend: kinds.map((kind) => ({ name: kind, colour: KIND_COLOURS[kind] })),
  });
  const missing = rounds.filter(({ p100Ms }) => p100Ms === null).length;
  const note = missing === 0 ? {} : { note: `${count(missing, "message")} did not reach everyone` };
  return { kind: "chart", heading: "p100 of each message", ...note, svg };
}

function latencyBlocks({ warm }: BroadcastMeasurement): Block[] {
  const { latencyMs, histogram } = warm;
  if (!latencyMs) return [];
  const svg = columnChart({
    description: "Distribution of delivery times",
    x: "ms",
    y: "deliveries",
    columns: histogram.map(({ fromMs, toMs, count: amount }) => ({
      label: short(fromMs),
      value: amount,
      colour: "one",
      title: `${short(fromMs)} to ${short(toMs)} ms: ${whole(amount)}`,
    })),
  });
  return [
    { kind: "chart", heading: "Distribution of the latency, all deliveries of warm messages", svg },
    {
      kind: "table",
      heading: "Percentiles",
      rows: [
        ["", ...PERCENTILES.map((p) => `p${p}`)],
        ["ms", ...PERCENTILES.map((p) => shortOrDash(latencyMs[`p${p}`]))],
      ],
    },
  ];
}

function burstBlocks({ bursts }: BroadcastMeasurement): Block[] {
  if (bursts.length === 0) return [];
  const orDash = (value: number | null) => (value === null ? "–" : whole(value));
  const rows = bursts.map((burst) => [
    `burst of ${burst.messages}`,
    ms(burst.allMs),
    orDash(burst.deliveriesPerSecond),
    orDash(burst.deliveriesPerCpuSecond),
    whole(burst.lost),
  ]);
  const header = ["", "full delivery", "deliveries/s", "per server CPU second", "lost"];
  return [
    {
      kind: "table",
      heading: "Bursts (messages sent in the same instant)",
      rows: [header, ...rows],
    },
  ];
}

function preparation({ registration, connection, server }: BroadcastMeasurement): Block {
  const line = (name: string, part: { users: number; durationMs: number; perSecond: number }) => [
    name,
    whole(part.users),
    duration(part.durationMs),
    `${whole(part.perSecond)}/s`,
  ];
  const memory = (name: string, bytes: number | null | undefined) => [name, mib(bytes), "", ""];
  return {
    kind: "table",
    heading: "Setup and server resources",
    rows: [
      ["", "", "", ""],
      ...(registration ? [line("registered and joined", registration)] : []),
      ...(connection ? [line("connected and online", connection)] : []),
      memory("RSS before connecting", server.beforeConnect?.rssBytes),
      memory("RSS, all online", server.connected?.rssBytes),
      memory("RSS after the messages", (server.afterBursts ?? server.afterRounds)?.rssBytes),
    ],
  };
}

function testerBlocks({ generator, errors }: BroadcastMeasurement): Block[] {
  const lines =
    generator.verdicts.length === 0 && generator.receiverBusy !== null
      ? ["The tester was not the bottleneck."]
      : generator.verdicts;
  return [
    ...(lines.length === 0 ? [] : [{ kind: "notes" as const, heading: "The tester", lines }]),
    ...(errors.length === 0
      ? []
      : [
          {
            kind: "table" as const,
            heading: "Errors",
            rows: [
              ["", "times"],
              ...errors.map(({ phase, code, count: times }) => [`${phase} ${code}`, whole(times)]),
            ],
          },
        ]),
  ];
}
