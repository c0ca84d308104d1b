interface Theme {
  surface: string;
  ink: string;
  quietInk: string;
  grid: string;
  colours: Record<"one" | "two" | "three" | "four" | "quiet" | "bad", string>;
}

/** Distinguishable with color blindness too, each on its own background. */
export const THEMES: Record<"light" | "dark", Theme> = {
  light: {
    surface: "#ffffff",
    ink: "#1b1f24",
    quietInk: "#5c6570",
    grid: "#e3e7ec",
    colours: {
      one: "#2563c9",
      two: "#c65d07",
      three: "#0b8577",
      four: "#7c46c9",
      quiet: "#98a2ae",
      bad: "#c9252d",
    },
  },
  dark: {
    surface: "#14181d",
    ink: "#e8ebef",
    quietInk: "#9aa5b1",
    grid: "#2b323a",
    colours: {
      one: "#6fa8ff",
      two: "#f2a35c",
      three: "#45c4b0",
      four: "#bb95f7",
      quiet: "#707c89",
      bad: "#ff7b7f",
    },
  },
};

/** CSS of all charts; colors are CSS variables. */
export const CHART_CSS = [
  "svg text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--ink); }",
  "svg .tick, svg .label { fill: var(--quiet-ink); }",
  "svg .value { font-weight: 600; }",
  "svg .grid { stroke: var(--grid); stroke-width: 1; }",
  "svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }",
  ...Object.keys(THEMES.light.colours).map(
    (name) => `svg .fill-${name} { fill: var(--${name}); } svg .stroke-${name} { stroke: var(--${name}); }`,
  ),
].join("\n");

export function themeVariables(name: keyof typeof THEMES): string {
  const { surface, ink, quietInk, grid, colours } = THEMES[name];
  const series = Object.entries(colours).map(([colour, value]) => `--${colour}: ${value};`);
  return `--surface: ${surface}; --ink: ${ink}; --quiet-ink: ${quietInk}; --grid: ${grid}; ${series.join(" ")}`;
}

/** A chart as a separate file. Colors are inlined because not every viewer supports CSS variables. */
export function standaloneSvg(chart: string, name: keyof typeof THEMES): string {
  const { surface, ink, quietInk, grid, colours } = THEMES[name];
  const values: Record<string, string> = { surface, ink, "quiet-ink": quietInk, grid, ...colours };
  const css = CHART_CSS.replace(/var\(--([\w-]+)\)/g, (_, variable: string) => values[variable]!);
  const ground = `<rect width="100%" height="100%" fill="${surface}"/>`;
  return `${chart.replace(/^(<svg[^>]*>)/, `$1<style>${css}</style>${ground}`)}\n`;
}
