import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");

test("the font that is preloaded and that texts have is the one with files", () => {
  const families = [...read("fonts.css").matchAll(/font-family: ("[^"]+")/g)].map(([, family]) => family);
  const [family] = families;
  expect(new Set(families)).toEqual(new Set([family]));
  expect(read("../../public/theme.js")).toContain(`fonts.load('1em ${family}')`);
  expect(read("theme.css")).toMatch(new RegExp(`--font-sans:\\s+${family},`));
});
