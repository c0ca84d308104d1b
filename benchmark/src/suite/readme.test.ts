import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { derivedFiles, newestSuite, readSuite } from "./suite-files.ts";
import { readmeSection, withSection } from "./suite-markdown.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REPORTS = join(ROOT, "docs/benchmarks");
const NUMBER = String.raw`\d[\d,.]*(?:\s?(?:thousand|million|k|K|M))?`;
const UNITS = [
  "ms|µs|ns|s|sec|min",
  "(?:nano|micro|milli)?seconds?|minutes?",
  "×|x|times",
  "[KMGT]i?B|(?:kilo|mega|giga)?bytes?",
  "%|per cent|percent",
  String.raw`rps|\/\s?s`,
  // 1,200 messages per second, 20 calls a second, 5 users/s.
  String.raw`(?:\p{L}+\s){0,2}(?:per|a|each|every)\s(?:\p{L}+\s)?second|\p{L}+\/s`,
];
const MEASURED = new RegExp(String.raw`(?<![\w.])${NUMBER}[\s-]?(?:${UNITS.join("|")})(?![\p{L}\d])`, "gu");

const readme = await readFile(join(ROOT, "README.md"), "utf8");
const newest = await newestSuite(REPORTS);
/** Figures measured once and explained there can be repeated in the README. */
const sizing = await readFile(join(ROOT, "docs/run/sizing.md"), "utf8");

test("outside its measured section the README has no figure that sizing.md doesn't have", () => {
  const claimed = withSection(readme, "").match(MEASURED) ?? [];
  expect(claimed.filter((figure) => !sizing.includes(figure))).toEqual([]);
});

test.each([
  "3.5 ms",
  "12 µs",
  "0.7 ×",
  "20 KiB",
  "1,200/s",
  "12 milliseconds",
  "1 millisecond",
  "2.5 s",
  "3 seconds",
  "10 minutes",
  "1.5 GiB",
  "1.5 GB",
  "20 kilobytes",
  "40%",
  "40 %",
  "40 percent",
  "1,200 per second",
  "5 million messages per second",
  "1,200 messages a second",
  "9 deliveries per CPU second",
  "300 rps",
  "3 times",
  "50k messages/s",
])("finds a figure in prose: %s", (figure) => {
  expect(`It takes ${figure}, as measured.`.match(MEASURED)).toEqual([figure]);
});

test.each(["Node 26", "port 3000", "2 members", "issue 7", "20 sockets", "v1.2 settings", "4 cores"])(
  "ignores other numbers: %s",
  (text) => {
    expect(`There is ${text}, and more.`.match(MEASURED)).toBeNull();
  },
);

describe.runIf(newest !== undefined)("the newest committed report", () => {
  test("is the source of every figure in the README (else: bench suite --again --update-readme)", async () => {
    const suite = await readSuite(newest!);
    expect(readme).toBe(withSection(readme, readmeSection(suite, `docs/benchmarks/${basename(newest!)}`)));
  });

  test("matches its results (else: bench suite --again)", async () => {
    const suite = await readSuite(newest!);
    for (const [path, text] of Object.entries(derivedFiles(suite, basename(newest!)))) {
      expect(await readFile(join(REPORTS, path), "utf8")).toBe(text);
    }
  });
});

test("without a report the README has no figures", () => {
  expect(newest === undefined ? (readme.match(MEASURED) ?? []) : []).toEqual([]);
});
