import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accentShades, contrastOf } from "./accent.ts";

const theme = readFileSync(new URL("../../../web/src/styles/theme.css", import.meta.url), "utf8");
/** The values of a color in the light and the dark theme. */
const token = (name: string): string[] =>
  [...theme.matchAll(new RegExp(`--color-${name}: (#[0-9a-f]{6})`, "g"))].map(([, value]) => value!);

const colors = ["00", "55", "aa", "ff"].flatMap((red, _, steps) =>
  steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
);

test("shades of every color are readable on the surfaces of the web client", () => {
  const [lightSurfaces, darkSurfaces] = [0, 1].map((index) =>
    ["rail", "sidebar", "canvas", "raised", "field", "hover", "selected"].map((name) => token(name)[index]!),
  );
  for (const color of colors) {
    const shades = accentShades(color);
    for (const [name, minimum, surfaces] of [
      ["light", 4.5, lightSurfaces!],
      ["dark", 4.5, darkSurfaces!],
      ["lightContrast", 7, lightSurfaces!],
      ["darkContrast", 7, darkSurfaces!],
    ] as const) {
      const { accent, "on-accent": on, "accent-text": text, "accent-soft": soft } = shades[name];
      const contrasts = [
        contrastOf(accent, on),
        ...[...surfaces, soft].map((behind) => contrastOf(text, behind)),
      ];
      expect(Math.min(...contrasts), `${color} in ${name}`).toBeGreaterThanOrEqual(minimum);
      expect(contrastOf(shades[name]["accent-hover"], on)).toBeGreaterThanOrEqual(minimum);
    }
  }
});

test("a color that is readable as it is stays the same", () => {
  const { light, dark } = accentShades("#1a5fb4");
  expect(light).toMatchObject({ accent: "#1a5fb4", "on-accent": "#ffffff" });
  expect(dark.accent).not.toBe("#1a5fb4");
});

test("contrast is measured as in WCAG", () => {
  expect(contrastOf("#000000", "#ffffff")).toBe(21);
  expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
