import { CHARACTER_WIDTH, linearAxis, logAxis, tickText, withRoom, type Axis } from "./axis.ts";
import { escape } from "./escape.ts";
import { at, legend, plotOf, svg, xLabel, yGrid, type Colour, type Plot } from "./frame.ts";

export interface Line {
  name: string;
  colour: Colour;
  points: readonly { x: number; y: number | null; title?: string }[];
  isDashed?: boolean;
  /** Only points, for values that are not a series. */
  isScattered?: boolean;
}

export interface LineChart {
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

function path({ colour, points, isDashed, isScattered }: Line, place: Place): string {
  const known = points.filter((point): point is typeof point & { y: number } => point.y !== null);
  const drawn = isScattered
    ? ""
    : `<polyline class="line stroke-${colour}${isDashed ? " dashed" : ""}" points="${known
        .map(({ x, y }) => place(x, y))
        .join(" ")}"/>`;
  if (known.length > DOTS_UP_TO && !isScattered) return drawn;
  const dots = known.map(({ x, y, title }) => {
    const [cx, cy] = place(x, y).split(",");
    const tip = `<title>${escape(title ?? `${tickText(x)}: ${tickText(y)}`)}</title>`;
    return `<circle class="fill-${colour}" cx="${cx}" cy="${cy}" r="3.5">${tip}</circle>`;
  });
  return drawn + dots.join("");
}
