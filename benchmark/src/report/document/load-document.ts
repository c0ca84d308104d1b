import type { LatencyResult, LoadMeasurement } from "../../load/load-result.ts";
import { PERCENTILES } from "../../measure/percentiles.ts";
import { columnChart } from "../charts/column-chart.ts";
import { count, ms, short, shortOrDash, whole } from "../format.ts";
import type { Block, Document } from "./document.ts";
import { sampleCharts } from "./sample-charts.ts";

/**
 * For any load command.
 * @param title the name of the load
 */
export function loadDocument(title: string, load: LoadMeasurement): Document {
  const { target, scene, loop, threads } = load;
  const pace =
    loop.kind === "closed"
      ? `concurrency ${whole(loop.inFlight)} (closed loop)`
      : `fixed rate of ${whole(loop.perSecond)}/s (open loop)`;
  return {
    title,
    subtitle:
      `${target.name}${target.isThrowaway ? ", started for this run" : ` at ${target.url}`} · ${pace} · ` +
      `${count(scene.senders, "sender")}, ${whole(scene.online)} online · ` +
      `${count(threads.sending, "sending thread")}, ${whole(threads.receiving)} receiving`,
    blocks: [
      tiles(load),
      ...latencyBlocks("Time to answer", load.ack),
      ...latencyBlocks("Time of each delivery", load.delivery),
      ...latencyBlocks("Time to full delivery (p100 per message)", load.lastDelivery),
      ...sampleCharts(serverSamples(load)),
      counts(load),
      ...notes(load),
    ],
  };
}

function tiles({ rates, counts: all, ack, lastDelivery }: LoadMeasurement): Block {
  const number = (value: number | null, unit = "") => (value === null ? "–" : `${whole(value)}${unit}`);
  const { lost, duplicates, outOfOrder, unstored, storedTwice } = all;
  const faults = lost + duplicates + (outOfOrder ?? 0) + (unstored ?? 0) + (storedTwice ?? 0);
  return {
    kind: "tiles",
    tiles: [
      {
        label: "acknowledged",
        value: number(rates.acknowledgedPerSecond, "/s"),
        note: `${number(rates.acknowledgedPerCpuSecond)} per server CPU second`,
      },
      {
        label: "acknowledged, p90 · p100",
        value: `${ms(ack.latencyMs?.p90)} · ${ms(ack.latencyMs?.p100)}`,
      },
      ...(rates.deliveriesPerSecond === null
        ? []
        : [
            {
              label: "deliveries",
              value: number(rates.deliveriesPerSecond, "/s"),
              note: `${number(rates.deliveriesPerCpuSecond)} per server CPU second`,
            },
            { label: "last delivery, p100", value: ms(lastDelivery?.latencyMs?.p100) },
          ]),
      {
        label: "lost · duplicated · not persisted",
        value: `${whole(lost)} · ${whole(duplicates)} · ${number(unstored)}`,
        tone: faults === 0 ? ("good" as const) : ("bad" as const),
      },
    ],
  };
}

function latencyBlocks(heading: string, latency: LatencyResult | null): Block[] {
  const values = latency?.latencyMs;
  if (!latency || !values) return [];
  const svg = columnChart({
    description: `${heading}: distribution`,
    x: "ms",
    y: "number",
    columns: latency.bars.map(({ fromMs, toMs, count: amount }) => ({
      label: short(fromMs).replace(/\.0+$/, ""),
      value: amount,
      colour: "one",
      title: `${short(fromMs)} to ${short(toMs)} ms: ${whole(amount)}`,
    })),
    height: 200,
  });
  const rows = [
    ["", ...PERCENTILES.map((p) => `p${p}`)],
    ["ms", ...PERCENTILES.map((p) => shortOrDash(values[`p${p}`]))],
  ];
  return [
    { kind: "chart", heading, svg },
    { kind: "table", heading: "", rows },
  ];
}

function serverSamples({ samples }: LoadMeasurement) {
  return samples.map((sample, i) => {
    const seconds = (sample.atMs - (samples[i - 1]?.atMs ?? 0)) / 1000 || 1;
    return {
      atMs: sample.atMs,
      rssBytes: sample.rssBytes,
      cpuCores: sample.cpuSeconds === null ? null : sample.cpuSeconds / seconds,
      eventLoopMaxMs: sample.eventLoopMaxMs,
      deliveriesPerSecond: sample.received / seconds,
    };
  });
}

function counts({ counts: all }: LoadMeasurement): Block {
  const labels: Record<keyof LoadMeasurement["counts"], string> = {
    intended: "due",
    sent: "sent",
    acknowledged: "acknowledged",
    refused: "refused",
    unanswered: "unanswered",
    missed: "missed by the tester",
    stored: "stored",
    unstored: "acknowledged but not persisted",
    storedTwice: "stored twice",
    expected: "deliveries expected",
    received: "deliveries received",
    lost: "lost",
    duplicates: "duplicates",
    outOfOrder: "out of order",
    corrupted: "corrupted",
    dropped: "connections dropped",
    resyncs: "told to resync",
  };
  const rows = (Object.keys(labels) as (keyof typeof labels)[]).flatMap((key) => {
    const value = all[key];
    return value === undefined ? [] : [[labels[key], value === null ? "–" : whole(value)]];
  });
  return { kind: "table", heading: "Counts", rows: [["", ""], ...rows] };
}

function notes({ generator, errors }: LoadMeasurement): Block[] {
  const rows = errors.map(({ phase, code, count: times }) => [`${phase} ${code}`, whole(times)]);
  return [
    {
      kind: "notes",
      heading: "The tester",
      lines: generator.verdicts.length === 0 ? ["The tester was not the bottleneck."] : generator.verdicts,
    },
    ...(rows.length === 0
      ? []
      : [{ kind: "table" as const, heading: "Errors by code", rows: [["", "times"], ...rows] }]),
  ];
}
