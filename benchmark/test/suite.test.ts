import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import suiteSchema from "../schema/suite.v1.json" with { type: "json" };
import { startFakePlatform } from "./fake-platform.ts";
import { Bench } from "./run-bench.ts";
import { runSuite } from "../src/suite/run-suite.ts";
import { derivedFiles, newestSuite, readSuite, writeSuite } from "../src/suite/suite-files.ts";
import { readmeSection, withSection } from "../src/suite/suite-markdown.ts";
import { strictErrors } from "./strict-schema.ts";

/** There are times. A single message, such as the first, has none if the machine was too busy. */
const LIMITS = ["worstMs", "medianMs"].map((name) => `--threshold ${name}[members=30]>0`).join(" ");
const TINY = "--users 30 --messages 2 --warmup 1 --idle 20ms --interval 10ms --probes 2";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

const both = (command: string) => ({ quick: command, full: command });

test("a failed row doesn't end the suite, and everything derived comes from the stored files", async () => {
  const suite = await runSuite(
    [
      {
        name: "sweep",
        title: "more and more",
        ...both(`sweep --target ws ${TINY} --burst 20,100 ${LIMITS}`),
      },
      { name: "wrong", title: "no such option", ...both("limits --nonsense") },
      { name: "foreign", title: "not installed", ...both("limits"), needs: ["no-such-program"] },
      {
        name: "limits",
        title: "side by side",
        ...both(`limits --targets socket.io,ws --passes 1 ${TINY}`),
      },
    ],
    "quick",
  );
  expect(suite.index.rows).toMatchObject([
    { name: "sweep", code: 0, hasResult: true, problem: null },
    { name: "wrong", code: 64, hasResult: false, problem: expect.stringMatching("nonsense") as string },
    {
      name: "foreign",
      code: null,
      hasResult: false,
      problem: expect.stringMatching("no-such-program") as string,
    },
    { name: "limits", code: 0, hasResult: true, problem: null },
  ]);

  const home = join(folder, "2026-01-02");
  await writeSuite(suite, home);
  expect(await newestSuite(folder)).toBe(home);
  const kept = await readSuite(home);
  expect(kept).toEqual(suite);
  for (const [path, text] of Object.entries(derivedFiles(kept, "2026-01-02"))) {
    expect(await readFile(join(folder, path), "utf8")).toBe(text);
  }

  const page = await readFile(join(folder, "2026-01-02.html"), "utf8");
  const rows = [
    "worst message",
    "median message",
    "first message after connecting",
    "first message after an idle time",
  ];
  for (const row of [...rows, "burst 100: full delivery"]) expect(page).toMatch(row);

  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.validate(suiteSchema, suite.index);
  expect(ajv.errors).toBeNull();
  for (const result of suite.results.values()) expect(strictErrors(result)).toEqual([]);
});

test("a row that lost messages keeps its result, is named, and fails the suite", async () => {
  const platform = await startFakePlatform((member, message) =>
    member === 0 && message === 0 ? "drop" : undefined,
  );
  const options = `${TINY} --timeout 100ms --url ${platform.url}`;
  const suite = await runSuite(
    [
      { name: "lossy", title: "loses", ...both(`broadcast ${options}`) },
      { name: "slow", title: "too slow", ...both(`broadcast ${options} --allow lost --threshold worstMs<0`) },
    ],
    "quick",
  );
  await platform.close();
  expect(suite.index.rows).toMatchObject([
    { code: 1, hasResult: true, problem: expect.stringMatching("The run failed: lost 1.") as string },
    { code: 99, hasResult: true, problem: "--threshold worstMs<0 failed" },
  ]);
  const home = join(folder, "lossy", "2026-01-02");
  await writeSuite(suite, home);
  expect(await readFile(`${home}.md`, "utf8")).toMatch(/lossy\.json\): The run failed: lost 1\./);
  const bench = await Bench.open();
  const { code, stdout } = await bench.runPlain("suite", "--again", "--out", join(folder, "lossy"));
  await bench.close();
  expect(stdout).toMatch(/lossy .*The run failed: lost 1\./);
  expect(code).toBe(1);
});

test("ratios of a row that lost messages don't become the README's", async () => {
  const suite = await readSuite(join(folder, "2026-01-02"));
  const result = suite.results.get("limits")!;
  const versus = { ...result, meta: { ...result.meta, command: "versus" } };
  const rows = suite.index.rows.map((row) => ({ ...row, code: 1, problem: "The run failed: lost 1." }));
  const faulty = { index: { ...suite.index, rows }, results: new Map([["limits", versus]]) };
  expect(() => readmeSection(faulty, "")).toThrow("limits: The run failed: lost 1.");
});

test("the README's section is written between its marks", async () => {
  const suite = await readSuite(join(folder, "2026-01-02"));
  const section = readmeSection(suite, "docs/benchmarks/2026-01-02");
  expect(section).toMatch("Measured on");
  const before =
    "a\n<!-- measured: written by `bench suite --update-readme` -->\n(formerly)\n<!-- measured: end -->\nb";
  const after = withSection(before, section);
  expect(after).toMatch(/^a\n/);
  expect(after).toMatch(/\nb$/);
  expect(after).not.toMatch("formerly");
  expect(withSection(after, section)).toBe(after);
  expect(() => withSection("nothing", section)).toThrow("no section");
});
