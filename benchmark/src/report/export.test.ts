import { expect, test } from "vitest";
import { csv, prometheusText } from "./export.ts";
import { metrics, type Metric } from "./metric.ts";
import { resultOf } from "../../test/result-of.ts";

const exported = (all: readonly Metric[]) => [resultOf(all)];

test("CSV: fields with commas, quotes or line breaks are quoted, and lines end with CRLF", () => {
  const all = [
    ...metrics({ lost: 0, worstMs: null }, { server: 'a "fast", one', members: 20 }),
    ...metrics({ medianMs: 1.5 }, { server: "two\nlines" }),
  ];
  expect(csv(exported(all))).toBe(
    [
      "command,started,metric,labels,value,unit,better",
      'broadcast,2026-01-02T03:04:05.678Z,lost,"server=a ""fast"", one members=20",0,count,lower',
      'broadcast,2026-01-02T03:04:05.678Z,worstMs,"server=a ""fast"", one members=20",,ms,lower',
      'broadcast,2026-01-02T03:04:05.678Z,medianMs,"server=two\nlines",1.5,ms,lower',
      "",
    ].join("\r\n"),
  );
});

test("Prometheus: one HELP and TYPE for each name, escaped labels, and passes together", () => {
  const all = [
    ...metrics({ worstMs: 3, lost: 1 }, { server: "ws", pass: 1 }),
    ...metrics({ worstMs: 5, lost: 1 }, { server: "ws", pass: 2 }),
    ...metrics({ worstMs: null }, { server: 'a "b\\c"\nd' }),
  ];
  expect(prometheusText(exported(all)).split("\n")).toEqual([
    "# HELP bench_worst_ms worst message, time to the last member",
    "# TYPE bench_worst_ms gauge",
    'bench_worst_ms{command="broadcast",server="ws"} 5',
    'bench_worst_ms{command="broadcast",server="a \\"b\\\\c\\"\\nd"} NaN',
    "# HELP bench_lost lost",
    "# TYPE bench_lost gauge",
    'bench_lost{command="broadcast",server="ws"} 2',
    "",
  ]);
});
