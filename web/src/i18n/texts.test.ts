import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "./language.ts";
import { keysOf, usesOf, type Use } from "./texts-check.ts";

const src = join(import.meta.dirname, "..");

function read(pattern: string): [path: string, text: string][] {
  return globSync(pattern, { cwd: src }).map((path) => [path, readFileSync(join(src, path), "utf8")]);
}

const namespaces = new Map<string, Map<string, Set<string>>>();
for (const language of LANGUAGES) {
  for (const [path, text] of read(`**/texts/${language}.json`)) {
    const namespace = basename(dirname(dirname(path)));
    const languages = namespaces.get(namespace) ?? new Map<string, Set<string>>();
    languages.set(language, keysOf(JSON.parse(text)));
    namespaces.set(namespace, languages);
  }
}

const uses: Use[] = read("**/*.{ts,tsx}")
  .filter(([path]) => !path.startsWith("i18n/") && !path.endsWith(".test.ts"))
  .flatMap(([path, code]) => usesOf(path, code));

describe("texts", () => {
  test("have the same keys in all languages", () => {
    for (const [namespace, languages] of namespaces) {
      const [first, ...others] = LANGUAGES.map((language) => [...(languages.get(language) ?? [])].toSorted());
      for (const other of others) expect(other, `the texts of ${namespace}`).toEqual(first);
    }
  });

  test("have all keys that are used", () => {
    const missing = uses.filter(({ namespace, key, isPrefix }) => {
      const keys = [...(namespaces.get(namespace)?.get("en") ?? [])];
      return !keys.some((held) => (isPrefix ? held.startsWith(key) : held === key));
    });
    expect(missing).toEqual([]);
  });

  test("have no unused keys", () => {
    const unused: string[] = [];
    for (const [namespace, languages] of namespaces) {
      for (const key of languages.get("en") ?? []) {
        const isUsed = uses.some(
          (use) => use.namespace === namespace && (use.isPrefix ? key.startsWith(use.key) : use.key === key),
        );
        if (!isUsed) unused.push(`${namespace}:${key}`);
      }
    }
    expect(unused).toEqual([]);
  });
});
