import { linearAxis } from "./axis.ts";
import { escape } from "./escape.ts";
import { at, svg, WIDTH, type Colour } from "./frame.ts";

export interface Bar {
  label: string;
  value: number;
  text: string;
  colour: Colour;
}

const ROW = 30;
const LABEL_WIDTH = 250;
const TEXT_WIDTH = 110;

/** Horizontal bars, from zero, each with its value. */
export function barChart(description: string, bars: readonly Bar[]): string {
  const axis = linearAxis(Math.max(0, ...bars.map(({ value }) => value)));
  const room = WIDTH - LABEL_WIDTH - TEXT_WIDTH;
  const rows = bars.map(({ label, value, text, colour }, i) => {
    const y = i * ROW + 6;
    const width = at(Math.max(1, room * axis.place(value)));
    return (
      `<text class="label" x="${LABEL_WIDTH - 10}" y="${y + 14}" text-anchor="end">${escape(label)}</text>` +
      `<rect class="fill-${colour}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="20" rx="2"/>` +
      `<text class="value" x="${LABEL_WIDTH + width + 8}" y="${y + 14}">${escape(text)}</text>`
    );
  });
  return svg(bars.length * ROW + 8, description, rows);
}
