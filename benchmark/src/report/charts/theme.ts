import { mapValues } from "../../kernels/broadcast/percentiles.ts";

/** Each color for light and for dark pages. */
const GROUND = {
  surface: ["#ffffff", "#14181d"],
  ink: ["#1b1f24", "#e8ebef"],
  "quiet-ink": ["#5c6570", "#9aa5b1"],
  grid: ["#e3e7ec", "#2b323a"],
} as const;

/** Of series. Distinguishable with color blindness too, each on its own background. */
const COLOURS = {
  one: ["#2563c9", "#6fa8ff"],
  two: ["#c65d07", "#f2a35c"],
  three: ["#0b8577", "#45c4b0"],
  four: ["#7c46c9", "#bb95f7"],
  quiet: ["#98a2ae", "#707c89"],
  bad: ["#c9252d", "#ff7b7f"],
} as const;

export type Colour = keyof typeof COLOURS;
type Theme = "light" | "dark";

const valuesOf = (theme: Theme): Record<string, string> =>
  mapValues({ ...GROUND, ...COLOURS }, ([light, dark]) => (theme === "light" ? light : dark));

/** CSS of all charts; colors are CSS variables. */
export const CHART_CSS = [
  "svg text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--ink); }",
  "svg .tick, svg .label { fill: var(--quiet-ink); }",
  "svg .value { font-weight: 600; }",
  "svg .grid { stroke: var(--grid); stroke-width: 1; }",
  "svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }",
  ...Object.keys(COLOURS).map(
    (name) => `svg .fill-${name} { fill: var(--${name}); } svg .stroke-${name} { stroke: var(--${name}); }`,
  ),
].join("\n");

export const themeVariables = (theme: Theme): string =>
  Object.entries(valuesOf(theme))
    .map(([name, value]) => `--${name}: ${value};`)
    .join(" ");

/** A chart as a separate file. Colors are inlined because not every viewer supports CSS variables. */
export function standaloneSvg(chart: string, theme: Theme): string {
  const values = valuesOf(theme);
  const css = CHART_CSS.replace(/var\(--([\w-]+)\)/g, (_, name: string) => values[name]!);
  const ground = `<rect width="100%" height="100%" fill="${values["surface"]}"/>`;
  return `${chart.replace(/^(<svg[^>]*>)/, `$1<style>${css}</style>${ground}`)}\n`;
}
