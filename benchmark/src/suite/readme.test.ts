import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readmeSection, withSection } from "./readme-section.ts";
import { derivedFiles, newestSuite, readSuite } from "./suite-files.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REPORTS = join(ROOT, "docs/benchmarks");
const MEASURED = /\d[\d,.]*\s?(?:ms|µs|×|KiB|MiB|\/s)(?!\w)/g;

const readme = await readFile(join(ROOT, "README.md"), "utf8");
const newest = await newestSuite(REPORTS);

test("outside of its measured section the README claims no figures", () => {
  expect(withSection(readme, "").match(MEASURED) ?? []).toEqual([]);
  expect("takes 3.5 ms, 1,200/s and 0.7 × as much".match(MEASURED)).toEqual(["3.5 ms", "1,200/s", "0.7 ×"]);
});

describe.runIf(newest !== undefined)("the newest committed report", () => {
  test("is where every figure of the README comes from (else: bench suite --again --update-readme)", async () => {
    const suite = await readSuite(newest!);
    expect(readme).toBe(withSection(readme, readmeSection(suite, `docs/benchmarks/${basename(newest!)}`)));
  });

  test("says what its results say (else: bench suite --again)", async () => {
    const suite = await readSuite(newest!);
    for (const [path, text] of Object.entries(derivedFiles(suite, basename(newest!)))) {
      expect(await readFile(join(REPORTS, path), "utf8")).toBe(text);
    }
  });
});

test("without a report the README has no figures at all", () => {
  expect(newest === undefined ? (readme.match(MEASURED) ?? []) : []).toEqual([]);
});
