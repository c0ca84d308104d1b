import { readdirSync, readFileSync } from "node:fs";

const KERNEL = new URL("../../packages/kernel/src/", import.meta.url);
const SETTING = /^ {2,6}([A-Z][A-Z0-9_]+):/gm;

/** The names of all settings that the program reads from its environment: the keys of the schemas in the kernel's configuration. */
export function knownSettings(): Set<string> {
  const sources = readdirSync(KERNEL, { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      /(^|\/)(config|environment|settings)[^.]*\.ts$|^config\//.test(path) && !path.endsWith(".test.ts"),
  );
  const names = sources.flatMap((path) =>
    [...readFileSync(new URL(path, KERNEL), "utf8").matchAll(SETTING)].map((match) => match[1]!),
  );
  return new Set(names);
}
