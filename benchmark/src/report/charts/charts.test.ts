import { expect, test } from "vitest";
import { withRoom } from "./axis.ts";
import { lineChart } from "./charts.ts";

/** Middle and text of the labels at a height. */
function ticksUnderneath(svg: string): { x: number; text: string }[] {
  const ticks = svg.matchAll(/<text class="tick" x="([\d.]+)" y="[\d.]+" text-anchor="middle">([^<]*)</g);
  return [...ticks].map(([, x, text]) => ({ x: Number(x), text: text! }));
}

test("values that are close: their labels do not overlap, and both ends keep theirs", () => {
  const values = [100, 400, 402, 405, 410, 411, 430, 476, 566, 800];
  const svg = lineChart({
    description: "close",
    x: "members",
    y: "ms",
    isLog: true,
    lines: [{ name: "p100", colour: "one", points: values.map((x) => ({ x, y: x })) }],
  });
  const ticks = ticksUnderneath(svg);
  expect([ticks[0]!.text, ticks.at(-1)!.text]).toEqual(["100", "800"]);
  const gaps = ticks.slice(1).map(({ x, text }, i) => {
    const before = ticks[i]!;
    return x - before.x - ((text.length + before.text.length) / 2) * 6.5;
  });
  expect(Math.min(...gaps)).toBeGreaterThan(0);
  // Every point is still drawn.
  expect(svg.match(/<circle/g)).toHaveLength(values.length);
});

test("labels that fit all stay, in their order", () => {
  const at = (value: number) => value * 100;
  expect(withRoom([3, 1, 2], at, () => 20)).toEqual([3, 1, 2]);
  expect(withRoom([1, 1.1, 1.2], at, () => 50)).toEqual([1.2]);
  expect(withRoom([], at, () => 50)).toEqual([]);
});

test("scattered points are not joined", () => {
  const line = { name: "holds", colour: "one" as const, points: [{ x: 1, y: 2 }], isScattered: true };
  expect(lineChart({ description: "", x: "", y: "", lines: [line] })).not.toMatch("<polyline");
});
