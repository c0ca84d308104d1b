import { CHARACTER_WIDTH, tickText, withRoom, type Axis } from "./axis.ts";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For text and attributes of HTML and SVG. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

export const WIDTH = 720;
const LINE_HEIGHT = 5;
const MARGIN = { left: 58, right: 16, top: 30, bottom: 44 };

export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The colors of series, by their names in `theme.ts`. */
export type Colour = "one" | "two" | "three" | "four" | "quiet" | "bad";

export interface LegendEntry {
  name: string;
  colour: Colour;
}

export function plotOf(height: number): Plot {
  return {
    left: MARGIN.left,
    top: MARGIN.top,
    width: WIDTH - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom,
  };
}

/** @param description the chart's text alternative */
export function svg(height: number, description: string, parts: readonly string[]): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(description)}" ` +
    `xmlns="http://www.w3.org/2000/svg">${parts.join("")}</svg>`
  );
}

/** Horizontal lines with their values on the left. */
export function yGrid(plot: Plot, axis: Axis, label: string): string {
  const place = (tick: number) => plot.top + plot.height * (1 - axis.place(tick));
  const lines = withRoom(axis.ticks, place, () => LINE_HEIGHT).map((tick) => {
    const y = at(place(tick));
    return (
      `<line class="grid" x1="${plot.left}" x2="${plot.left + plot.width}" y1="${y}" y2="${y}"/>` +
      `<text class="tick" x="${plot.left - 8}" y="${y + 4}" text-anchor="end">${tickText(tick)}</text>`
    );
  });
  return `${lines.join("")}<text class="label" x="4" y="14">${escape(label)}</text>`;
}

export function xLabel(plot: Plot, label: string): string {
  const x = plot.left + plot.width;
  return `<text class="label" x="${x}" y="${plot.top + plot.height + 38}" text-anchor="end">${escape(label)}</text>`;
}

/** At the top right, only if there are several names. */
export function legend(entries: readonly LegendEntry[]): string {
  if (entries.length < 2) return "";
  let x = WIDTH - 16;
  const parts = entries.toReversed().map(({ name, colour }) => {
    x -= name.length * CHARACTER_WIDTH + 34;
    return (
      `<rect class="fill-${colour}" x="${at(x)}" y="5" width="10" height="10" rx="2"/>` +
      `<text class="label" x="${at(x + 15)}" y="14">${escape(name)}</text>`
    );
  });
  return parts.join("");
}

/** One decimal is enough, and keeps pages small. */
export function at(value: number): number {
  return Math.round(value * 10) / 10;
}
