/** The colors that a theme derives from the accent color of an instance, named like its tokens. */
export interface AccentShades {
  /** A fill behind text, and its hovered state. */
  accent: string;
  "accent-hover": string;
  "on-accent": string;
  /** A text color. */
  "accent-text": string;
  /** A tint behind text. */
  "accent-soft": string;
}

export type AccentTheme = "light" | "dark" | "lightContrast" | "darkContrast";

interface Theme {
  canvas: string;
  /** The surface on which text is hardest to read. */
  surface: string;
  onAccent: string;
  /** The color that shades are mixed with until they have this contrast. */
  toward: string;
  contrast: number;
}

const LIGHT: Theme = {
  canvas: "#ffffff",
  surface: "#e3e1dc",
  onAccent: "#ffffff",
  toward: "#000000",
  contrast: 4.5,
};
const DARK: Theme = {
  canvas: "#1c1b1a",
  surface: "#373431",
  onAccent: "#14110f",
  toward: "#ffffff",
  contrast: 4.5,
};
const THEMES: Readonly<Record<AccentTheme, Theme>> = {
  light: LIGHT,
  dark: DARK,
  lightContrast: { ...LIGHT, contrast: 7 },
  darkContrast: { ...DARK, canvas: "#000000", onAccent: "#000000", contrast: 7 },
};

const SOFT = 0.12;
const HOVER = 0.12;
const STEPS = 50;

/** Shades of a color `#rrggbb` with the contrast that WCAG level AA requires; AAA with high contrast. */
export function accentShades(color: string): Record<AccentTheme, AccentShades> {
  const of = (theme: AccentTheme) => shadesIn(THEMES[theme], color);
  return {
    light: of("light"),
    dark: of("dark"),
    lightContrast: of("lightContrast"),
    darkContrast: of("darkContrast"),
  };
}

function shadesIn({ canvas, surface, onAccent, toward, contrast }: Theme, color: string): AccentShades {
  const soft = mix(canvas, color, SOFT);
  const accent = until(color, toward, (shade) => contrastOf(shade, onAccent) >= contrast);
  const isReadable = (shade: string) =>
    [soft, surface].every((behind) => contrastOf(shade, behind) >= contrast);
  return {
    accent,
    "accent-hover": mix(accent, toward, HOVER),
    "on-accent": onAccent,
    "accent-text": until(color, toward, isReadable),
    "accent-soft": soft,
  };
}

function until(color: string, toward: string, isEnough: (shade: string) => boolean): string {
  for (let step = 0; step < STEPS; step++) {
    const shade = mix(color, toward, step / STEPS);
    if (isEnough(shade)) return shade;
  }
  return toward;
}

/** @param share of the second color */
function mix(a: string, b: string, share: number): string {
  const [from, to] = [channelsOf(a), channelsOf(b)];
  const mixed = from.map((channel, index) => Math.round(channel + (to[index]! - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** As WCAG defines it: 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [light, dark] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color).map((channel) => {
    const value = channel / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
