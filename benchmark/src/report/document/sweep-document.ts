import { lineChart } from "../charts/line-chart.ts";
import { gatewayThreadsText } from "../environment-line.ts";
import { ms, whole } from "../format.ts";
import type { SweepResult, SweepRow } from "../result.ts";
import { sweepTable } from "../sweep-table.ts";
import type { Document } from "./document.ts";

export function sweepDocument({ rows, options }: SweepResult): Document {
  const chart = sweepChart(rows);
  return {
    title: "One message to a growing number of members",
    subtitle: ["A new server each time", gatewayThreadsText(options)].filter(Boolean).join("; "),
    blocks: [
      ...(chart === undefined
        ? []
        : [
            {
              kind: "chart" as const,
              heading: "Time to the last member, lower is better",
              svg: chart,
            },
          ]),
      { kind: "table", heading: "Figures", rows: sweepTable(rows) },
    ],
  };
}

/** undefined: no message has reached everyone. */
export function sweepChart(rows: readonly SweepRow[]): string | undefined {
  const complete = rows.filter((row) => row.worstMs !== null);
  if (complete.length === 0) return undefined;
  const points = (of: "worstMs" | "medianMs") =>
    complete.map((row) => ({ x: row.users, y: row[of]!, title: `${whole(row.users)}: ${ms(row[of])}` }));
  const burst = (size: number) =>
    complete.flatMap((row) => {
      const allMs = row.bursts.find(({ messages }) => messages === size)?.allMs;
      return allMs === null || allMs === undefined
        ? []
        : [{ x: row.users, y: allMs, title: `${whole(row.users)}: ${ms(allMs)}` }];
    });
  const bursts = [100].map(burst).filter((ofBurst) => ofBurst.length > 0);
  return lineChart({
    description: "Time until the last member has a message, by the number of members online",
    x: "members online",
    y: "ms",
    isLog: true,
    height: 320,
    lines: [
      { name: "worst message", colour: "one", points: points("worstMs") },
      { name: "median message", colour: "two", points: points("medianMs") },
      ...bursts.map((ofBurst) => ({
        name: "burst of 100 messages",
        colour: "three" as const,
        points: ofBurst,
        isDashed: true,
      })),
    ],
  });
}
