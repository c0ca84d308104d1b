import { linearAxis } from "./axis.ts";
import { escape } from "./escape.ts";
import { at, legend, plotOf, svg, xLabel, yGrid, type Colour, type LegendEntry } from "./frame.ts";

export interface Column {
  label: string;
  /** null: an empty place. */
  value: number | null;
  colour: Colour;
  title: string;
}

export interface ColumnChart {
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
