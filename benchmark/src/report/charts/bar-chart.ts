import { CHARACTER_WIDTH, linearAxis } from "./axis.ts";
import { escape } from "./escape.ts";
import { at, svg, WIDTH, type Colour } from "./frame.ts";

export interface Bar {
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
