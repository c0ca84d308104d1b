import { CHARACTER_WIDTH, linearAxis, logAxis, tickText, withRoom, type Axis } from "./axis.ts";
import {
  at,
  escape,
  legend,
  plotOf,
  svg,
  WIDTH,
  xLabel,
  yGrid,
  type Colour,
  type LegendEntry,
  type Plot,
} from "./frame.ts";

interface Bar {
  label: string;
  value: number;
  text: string;
  colour: Colour;
}

const ROW = 30;
const GAP = 10;
const BOLD_CHARACTER_WIDTH = CHARACTER_WIDTH * 1.15;
/** Longer labels are cut off. */
const MOST_LABEL_CHARACTERS = 50;

/** Horizontal bars from zero, each with its value. */
export function barChart(description: string, bars: readonly Bar[]): string {
  const axis = linearAxis(Math.max(0, ...bars.map(({ value }) => value)));
  const labels = bars.map(({ label }) => shortened(label));
  const left = widest(labels) + GAP;
  const room = WIDTH - left - widest(bars.map(({ text }) => text)) - 2 * GAP;
  const rows = bars.map(({ value, text, colour }, i) => {
    const y = i * ROW + 6;
    const width = at(Math.max(1, room * axis.place(value)));
    return (
      `<text class="label" x="${at(left - GAP)}" y="${y + 14}" text-anchor="end">${escape(labels[i]!)}</text>` +
      `<rect class="fill-${colour}" x="${at(left)}" y="${y}" width="${width}" height="20" rx="2"/>` +
      `<text class="value" x="${at(left + width + GAP)}" y="${y + 14}">${escape(text)}</text>`
    );
  });
  return svg(bars.length * ROW + 8, description, rows);
}

function shortened(label: string): string {
  return label.length <= MOST_LABEL_CHARACTERS ? label : `${label.slice(0, MOST_LABEL_CHARACTERS - 1)}…`;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length)) * BOLD_CHARACTER_WIDTH;
}

interface Column {
  label: string;
  /** null: an empty place. */
  value: number | null;
  colour: Colour;
  title: string;
}

interface ColumnChart {
  description: string;
  x: string;
  y: string;
  columns: readonly Column[];
  legend?: readonly LegendEntry[];
  height?: number;
}

const WIDEST = 56;
const LABEL_CHARS_WIDTH = 6.5;

export function columnChart(chart: ColumnChart): string {
  const { columns, height = 240 } = chart;
  const plot = plotOf(height);
  const axis = linearAxis(Math.max(0, ...columns.map(({ value }) => value ?? 0)));
  const step = plot.width / Math.max(1, columns.length);
  const width = Math.min(WIDEST, step * 0.78);
  const longest = Math.max(...columns.map(({ label }) => label.length));
  const everyNth = Math.max(1, Math.ceil(((longest + 1) * LABEL_CHARS_WIDTH) / step));
  const bars = columns.map(({ label, value, colour, title }, i) => {
    const centre = plot.left + step * (i + 0.5);
    const text =
      i % everyNth === 0
        ? `<text class="tick" x="${at(centre)}" y="${plot.top + plot.height + 18}" text-anchor="middle">${escape(label)}</text>`
        : "";
    if (value === null) return text;
    const high = plot.height * axis.place(value);
    return (
      `<rect class="fill-${colour}" x="${at(centre - width / 2)}" y="${at(plot.top + plot.height - high)}" ` +
      `width="${at(width)}" height="${at(Math.max(high, 0.5))}" rx="1.5"><title>${escape(title)}</title></rect>${text}`
    );
  });
  return svg(height, chart.description, [
    yGrid(plot, axis, chart.y),
    ...bars,
    xLabel(plot, chart.x),
    legend(chart.legend ?? []),
  ]);
}

export interface Line {
  name: string;
  colour: Colour;
  points: readonly { x: number; y: number | null }[];
  /** Only points, for values that are not a series. */
  isScattered?: boolean;
}

interface LineChart {
  description: string;
  x: string;
  y: string;
  lines: readonly Line[];
  /** Both axes; all values must be above zero. */
  isLog?: boolean;
  height?: number;
}

const DOTS_UP_TO = 40;

export function lineChart(chart: LineChart): string {
  const { lines, isLog = false, height = 260 } = chart;
  const xs = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = lines.flatMap(({ points }) => points.map(({ y }) => y).filter((y) => y !== null));
  const plot = plotOf(height);
  const xAxis = isLog ? logAxis(xs) : linearAxis(Math.max(0, ...xs), 8);
  const yAxis = isLog ? logAxis(ys) : linearAxis(Math.max(0, ...ys));
  const place = placer(plot, xAxis, yAxis);
  return svg(height, chart.description, [
    yGrid(plot, yAxis, chart.y),
    // On a logarithmic axis, readers look for the values themselves.
    xTicks(plot, xAxis, isLog ? [...new Set(xs)].toSorted((a, b) => a - b) : xAxis.ticks),
    xLabel(plot, chart.x),
    ...lines.map((line) => path(line, place)),
    legend(lines),
  ]);
}

type Place = (x: number, y: number) => string;

function placer(plot: Plot, xAxis: Axis, yAxis: Axis): Place {
  return (x, y) =>
    `${at(plot.left + plot.width * xAxis.place(x))},${at(plot.top + plot.height * (1 - yAxis.place(y)))}`;
}

function xTicks(plot: Plot, axis: Axis, values: readonly number[]): string {
  const place = (value: number) => plot.left + plot.width * axis.place(value);
  return withRoom(values, place, (value) => tickText(value).length * CHARACTER_WIDTH)
    .map((value) => {
      const x = at(place(value));
      return `<text class="tick" x="${x}" y="${plot.top + plot.height + 18}" text-anchor="middle">${tickText(value)}</text>`;
    })
    .join("");
}

function path({ colour, points, isScattered }: Line, place: Place): string {
  const known = points.filter((point): point is typeof point & { y: number } => point.y !== null);
  const drawn = isScattered
    ? ""
    : `<polyline class="line stroke-${colour}" points="${known.map(({ x, y }) => place(x, y)).join(" ")}"/>`;
  if (known.length > DOTS_UP_TO && !isScattered) return drawn;
  const dots = known.map(({ x, y }) => {
    const [cx, cy] = place(x, y).split(",");
    const tip = `<title>${escape(`${tickText(x)}: ${tickText(y)}`)}</title>`;
    return `<circle class="fill-${colour}" cx="${cx}" cy="${cy}" r="3.5">${tip}</circle>`;
  });
  return drawn + dots.join("");
}
