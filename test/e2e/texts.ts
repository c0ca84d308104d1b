import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const texts = new Map<string, string>();
const SOURCE = fileURLToPath(new URL("../../web/src/", import.meta.url));
for (const file of globSync("**/texts/en.json", { cwd: SOURCE })) {
  const namespace = file.split("/").at(-3)!;
  const ofFile = JSON.parse(readFileSync(SOURCE + file, "utf8")) as Record<string, string>;
  for (const [key, text] of Object.entries(ofFile)) texts.set(`${namespace}:${key}`, text);
}

/**
 * An English text of the page by its key, so that tests don't depend on its wording.
 * @throws {Error} if there is no such text, or a value is missing
 */
export function t(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  const plural = values["count"] === 1 ? "one" : "other";
  const found = texts.get(key) ?? texts.get(`${key}_${plural}`);
  if (found === undefined) throw new Error(`web/src has no text ${key}.`);
  return found.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The text ${key} needs a value for ${name}.`);
    return String(value);
  });
}
