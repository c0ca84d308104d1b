import { lineChart } from "../report/charts/line-chart.ts";
import type { Block, Document } from "../report/document/document.ts";
import { ms, short, whole } from "../report/format.ts";
import type { CapacityResult } from "../report/result.ts";
import type { CapacitySearch } from "./capacity-result.ts";
import { amountOf, attemptRows, headingOf, nothingFailed, nothingHeld, timesOf } from "./capacity-summary.ts";

export function capacityDocument({ target, searches, p100LimitMs, interrupted }: CapacityResult): Document {
  return {
    title: `Capacity of ${target.name} within a p100 of ${short(p100LimitMs)} ms`,
    subtitle:
      "The maximum at which every message reached everyone in time and nothing was lost; each was verified twice.",
    blocks: searches.flatMap((search) => searchBlocks(search, p100LimitMs, interrupted)),
  };
}

function searchBlocks(search: CapacitySearch, limitMs: number, interrupted: boolean): Block[] {
  const { held, failed, attempts, what } = search;
  const heading = headingOf(search);
  const known = attempts.filter((attempt) => attempt.worstMs !== null).toSorted((a, b) => a.value - b.value);
  const points = (held: boolean) =>
    known
      .filter((attempt) => attempt.held === held)
      .map(({ value, worstMs }) => ({ x: value, y: worstMs!, title: `${whole(value)}: ${ms(worstMs)}` }));
  const ends = [known[0], known.at(-1)].flatMap((attempt) => (attempt ? [attempt.value] : []));
  const gaveOut = failed?.resource;
  return [
    {
      kind: "tiles",
      tiles: [
        {
          label: `${heading}: passes`,
          value: held ? amountOf(search, held) : nothingHeld(search),
          ...(held
            ? { note: timesOf(held), tone: "good" as const }
            : interrupted
              ? {}
              : { tone: "bad" as const }),
        },
        {
          label: "Fails",
          value: failed ? amountOf(search, failed) : "–",
          note: failed ? failed.reasons.join(", ") : nothingFailed(search, interrupted),
        },
        ...(gaveOut ? [{ label: "Exhausted", value: gaveOut.name, note: gaveOut.why }] : []),
      ],
    },
    ...(known.length === 0
      ? []
      : [
          {
            kind: "chart" as const,
            heading: `Worst message of each attempt; the limit is ${short(limitMs)} ms`,
            svg: lineChart({
              description: `Worst message by ${what === "users" ? "members online" : "messages a second"}`,
              x: what === "users" ? "members online" : "messages per second",
              y: "ms",
              isLog: true,
              height: 320,
              lines: [
                { name: "passes", colour: "three", points: points(true), isScattered: true },
                { name: "fails", colour: "bad", points: points(false), isScattered: true },
                {
                  name: "limit",
                  colour: "quiet",
                  points: ends.map((x) => ({ x, y: limitMs, title: `limit: ${ms(limitMs)}` })),
                  isDashed: true,
                },
              ],
            }),
          },
        ]),
    { kind: "table", heading, rows: attemptRows(search) },
  ];
}
