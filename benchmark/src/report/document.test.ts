import { expect, test } from "vitest";
import { resultOf } from "../../test/result-of.ts";
import { documentOf } from "./document.ts";
import { metrics, type Metric } from "./metric.ts";

const blocksOf = (all: readonly Metric[]) => documentOf(resultOf(all)).blocks;

test("one measurement: its headline and faults are tiles, the rest are tables by group", () => {
  const labels = { server: "ws", members: 20 };
  const blocks = blocksOf([
    ...metrics({ worstMs: 12.5, medianMs: 2, ackMs: 1, lost: 0, duplicates: 3 }, labels),
    ...metrics({ rssBytes: 2 ** 20 }, { ...labels, when: "before connecting" }),
    ...metrics({ rssBytes: 2 ** 21 }, { ...labels, when: "all online, idle" }),
  ]);
  expect(blocks).toMatchObject([
    {
      kind: "tiles",
      tiles: [
        { label: "worst message, time to the last member", value: "12.5 ms" },
        { label: "median message, time to the last member", value: "2.00 ms" },
        { label: "lost · duplicates", value: "0 · 3", tone: "bad" },
      ],
    },
    { kind: "table", heading: "Times", rows: [["acknowledged after", "1.00 ms"]] },
    { kind: "table", heading: "Server" },
  ]);
});

const sizes = (count: number) =>
  Array.from({ length: count }, (_, i) => metrics({ worstMs: i + 1, lost: 0 }, { members: (i + 1) * 100 }));

test("several servers are columns", () => {
  const blocks = blocksOf(
    ["fanfare", "ws"].flatMap((server, i) => metrics({ worstMs: i + 1, lost: i }, { server, members: 20 })),
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(["table"]);
  expect(blocks.at(-1)).toMatchObject({
    heading: "Figures",
    rows: [
      ["server", "fanfare", "ws"],
      ["worst message, time to the last member", "1.00 ms", "2.00 ms"],
      ["lost", "0", "1"],
    ],
  });
});

test("up to six sizes are columns, and more are rows", () => {
  expect(blocksOf(sizes(6).flat()).at(-1)).toMatchObject({
    rows: [["members", "100", "200", "300", "400", "500", "600"], expect.anything(), expect.anything()],
  });
  const { rows } = blocksOf(sizes(7).flat()).find((block) => block.kind === "table")!;
  expect(rows).toHaveLength(8);
  expect(rows[0]).toEqual(["members", "worst message, time to the last member", "lost"]);
  expect(rows[7]).toEqual(["700", "7.00 ms", "0"]);
});

test("several passes are one measurement, with the range of their values", () => {
  const all = [3, 9, 4].flatMap((medianMs, i) => metrics({ medianMs }, { server: "ws", pass: i + 1 }));
  const { subtitle, blocks } = documentOf(resultOf(all));
  expect(subtitle).toMatch("3 passes each");
  expect(blocks[0]).toMatchObject({ tiles: [{ value: "4.00 ms", note: "3.00 ms to 9.00 ms" }] });
});
