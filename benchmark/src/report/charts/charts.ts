import { CHARACTER_WIDTH, linearAxis, logAxis, tickText, withRoom, type Axis } from "./axis.ts";
import type { Colour } from "./theme.ts";

const WIDTH = 720;
const LINE_HEIGHT = 5;
/** Where lines are drawn. */
const [LEFT, TOP] = [58, 30];
const PLOT_WIDTH = WIDTH - LEFT - 16;
const BOTTOM = 44;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For text and attributes of HTML and SVG. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

/** One decimal is enough, and keeps pages small. */
function at(value: number): number {
  return Math.round(value * 10) / 10;
}

/** @param description the chart's text alternative */
function svg(height: number, description: string, parts: readonly string[]): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(description)}" ` +
    `xmlns="http://www.w3.org/2000/svg">${parts.join("")}</svg>`
  );
}

function text(kind: string, x: number, y: number, content: string, anchor?: "middle" | "end"): string {
  const anchored = anchor === undefined ? "" : ` text-anchor="${anchor}"`;
  return `<text class="${kind}" x="${at(x)}" y="${y}"${anchored}>${escape(content)}</text>`;
}

interface LineChart {
  description: string;
  /** The names of the axes. */
  x: string;
  y: string;
  lines: readonly Line[];
  /** Both axes; all values must be above zero. */
  isLog?: boolean;
}

/** Horizontal lines with their values on the left. */
function yGrid(height: number, axis: Axis, label: string): string {
  const place = (tick: number) => TOP + height * (1 - axis.place(tick));
  const lines = withRoom(axis.ticks, place, () => LINE_HEIGHT).map((tick) => {
    const y = at(place(tick));
    return (
      `<line class="grid" x1="${LEFT}" x2="${LEFT + PLOT_WIDTH}" y1="${y}" y2="${y}"/>` +
      text("tick", LEFT - 8, y + 4, tickText(tick), "end")
    );
  });
  return lines.join("") + text("label", 4, 14, label);
}

const xLabel = (height: number, label: string): string =>
  text("label", LEFT + PLOT_WIDTH, TOP + height + 38, label, "end");

const xTick = (x: number, height: number, label: string): string =>
  text("tick", x, TOP + height + 18, label, "middle");

/** At the top right, only if there are several names. */
function legend(entries: readonly { name: string; colour: Colour }[]): string {
  if (entries.length < 2) return "";
  let x = WIDTH - 16;
  const parts = entries.toReversed().map(({ name, colour }) => {
    x -= name.length * CHARACTER_WIDTH + 34;
    return `<rect class="fill-${colour}" x="${at(x)}" y="5" width="10" height="10" rx="2"/>${text("label", x + 15, 14, name)}`;
  });
  return parts.join("");
}

export interface Line {
  name: string;
  colour: Colour;
  points: readonly { x: number; y: number | null }[];
  /** Only points, for values that are not a series. */
  isScattered?: boolean;
}

const DOTS_UP_TO = 40;

export function lineChart(chart: LineChart): string {
  const { lines, isLog = false } = chart;
  const outer = isLog ? 320 : 220;
  const height = outer - TOP - BOTTOM;
  const xs = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = lines.flatMap(({ points }) => points.map(({ y }) => y).filter((y) => y !== null));
  const xAxis = isLog ? logAxis(xs) : linearAxis(Math.max(0, ...xs), 8);
  const yAxis = isLog ? logAxis(ys) : linearAxis(Math.max(0, ...ys));
  const placeX = (x: number) => LEFT + PLOT_WIDTH * xAxis.place(x);
  // On a logarithmic axis, readers look for the values themselves.
  const labelled = isLog ? [...new Set(xs)].toSorted((a, b) => a - b) : xAxis.ticks;
  const ticks = withRoom(labelled, placeX, (value) => tickText(value).length * CHARACTER_WIDTH);
  const drawn = lines.map(({ colour, points, isScattered = false }) => {
    const known = points.flatMap(({ x, y }) =>
      y === null ? [] : [{ x, y, at: [at(placeX(x)), at(TOP + height * (1 - yAxis.place(y)))] }],
    );
    const path = `<polyline class="line stroke-${colour}" points="${known.map((point) => point.at.join(",")).join(" ")}"/>`;
    const dots = known.map(({ x, y, at: [cx, cy] }) => {
      const tip = `<title>${escape(`${tickText(x)}: ${tickText(y)}`)}</title>`;
      return `<circle class="fill-${colour}" cx="${cx}" cy="${cy}" r="3.5">${tip}</circle>`;
    });
    if (isScattered) return dots.join("");
    return known.length > DOTS_UP_TO ? path : path + dots.join("");
  });
  return svg(outer, chart.description, [
    yGrid(height, yAxis, chart.y),
    ...ticks.map((value) => xTick(placeX(value), height, tickText(value))),
    xLabel(height, chart.x),
    ...drawn,
    legend(lines),
  ]);
}
