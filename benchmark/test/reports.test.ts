import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import comparisonSchema from "../schema/comparison.v1.json" with { type: "json" };
import type { BroadcastResult } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";
import { publishedErrors, strictErrors } from "./strict-schema.ts";

const TINY = ["--users", "20", "--messages", "2", "--warmup", "1", "--idle", "20", "--interval", "10"];

let bench: Bench;
let result: BroadcastResult;
beforeAll(async () => {
  bench = await Bench.open();
  const measured = await bench.run("broadcast", "--target", "ws", ...TINY, "--html", file("page.html"));
  result = measured.result as BroadcastResult;
});
afterAll(() => bench.close());

const file = (name: string) => join(bench.folder, name);

/** Results whose p100 is the measured one times each factor. */
async function side(name: string, factors: readonly number[]): Promise<string> {
  const files = factors.map(async (factor, i) => {
    const p100Ms = { min: factor, median: factor, max: factor };
    const path = file(`${name}${i}.json`);
    await writeFile(path, JSON.stringify({ ...result, warm: { ...result.warm, p100Ms } }));
    return path;
  });
  return (await Promise.all(files)).join(",");
}

test("--html is one self-contained page", async () => {
  const page = await readFile(file("page.html"), "utf8");
  expect(page).toMatch("Broadcast to 20 members");
  expect(page).toMatch("p100 of each message");
  expect(page.match(/<svg/g)!.length).toBeGreaterThan(1);
  expect(page).not.toMatch(/<script|<link|src=|https?:\/\/(?!www\.w3\.org)(?!127\.)/);
});

test("the schema allows new fields for readers, and the tester writes no undeclared ones", () => {
  expect(strictErrors(result)).toEqual([]);
  for (const newer of [
    { ...result, mood: 1 },
    { ...result, counts: { ...result.counts, mood: 1 } },
    { ...result, rounds: result.rounds.map((round) => ({ ...round, mood: 1 })) },
  ]) {
    expect(publishedErrors(newer)).toEqual([]);
    const unknown = strictErrors(newer).filter(({ keyword }) => keyword === "unevaluatedProperties");
    expect(unknown.map(({ params }) => params["unevaluatedProperty"] as string)).toContain("mood");
  }
});

test("report shows earlier measurements", async () => {
  const path = await side("one", [12.5]);
  const { code, stdout } = await bench.runPlain("report", path);
  expect(code).toBe(0);
  expect(stdout).toMatch("worst   12.5 ms");
  const wrong = await bench.runPlain("report", file("page.html"));
  expect(wrong.code).toBe(64);
  expect(wrong.stderr).toMatch("is not a result of --json");
});

test("compare judges by repeated runs, and fails if requested", async () => {
  const [base, slower] = [await side("base", [1, 1.1, 1.2, 1.3]), await side("new", [2, 2.1, 2.2, 2.3])];
  const json = file("comparison.json");
  const failed = await bench.runPlain("compare", base, slower, "--threshold", "worse==0", "--json", json);
  expect(failed.code).toBe(99);
  expect(failed.stdout).toMatch(/worst message, time to the last member .* worse/);
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.validate(comparisonSchema, JSON.parse(await readFile(json, "utf8")));
  expect(ajv.errors).toBeNull();
  const same = await bench.runPlain("compare", base, base, "--threshold", "worse==0");
  expect(same.code).toBe(0);
  const cut = file("cut.json");
  await writeFile(cut, JSON.stringify({ ...result, interrupted: true }));
  expect(await bench.runPlain("compare", base, cut)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("was interrupted. Leave it out"),
  });
  const once = await bench.runPlain("compare", base, slower.split(",")[0]!);
  expect(once.stdout).toMatch("too few runs");
});
