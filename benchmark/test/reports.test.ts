import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import comparisonSchema from "../schema/comparison.v2.json" with { type: "json" };
import type { Result } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";
import { publishedErrors, strictErrors } from "./strict-schema.ts";

const TINY = ["--users", "20", "--messages", "2", "--warmup", "1", "--idle", "20ms", "--interval", "10ms"];

let bench: Bench;
let result: Result;
beforeAll(async () => {
  bench = await Bench.open();
  const files = [
    "--html",
    file("page.html"),
    "--csv",
    file("metrics.csv"),
    "--prometheus",
    file("metrics.prom"),
  ];
  const measured = await bench.run("broadcast", "--target", "ws", ...TINY, ...files);
  result = measured.result as Result;
});
afterAll(() => bench.close());

const file = (name: string) => join(bench.folder, name);

/** The result with other times to the last member, one file for each. */
async function side(name: string, times: readonly number[]): Promise<string> {
  const changed = ["worstMs", "medianMs", "bestMs"];
  const files = times.map(async (value, i) => {
    const metrics = result.metrics.map((one) => (changed.includes(one.name) ? { ...one, value } : one));
    const path = file(`${name}${i}.json`);
    await writeFile(path, JSON.stringify({ ...result, metrics }));
    return path;
  });
  return (await Promise.all(files)).join(",");
}

test("--csv and --prometheus have a line for each metric", async () => {
  const csv = await readFile(file("metrics.csv"), "utf8");
  expect(csv.trimEnd().split("\r\n")).toHaveLength(1 + result.metrics.length);
  const samples = (await readFile(file("metrics.prom"), "utf8"))
    .split("\n")
    .filter((line) => line.startsWith("bench_"));
  expect(samples).toHaveLength(result.metrics.length);
  expect(samples).toContain('bench_lost{command="broadcast",members="20",server="ws"} 0');
});

test("--html is one self-contained page", async () => {
  const page = await readFile(file("page.html"), "utf8");
  expect(page).toMatch("Broadcast to 20 members");
  expect(page).toMatch("Each message, time to the last member");
  expect(page.match(/<svg/g)).toHaveLength(1);
  expect(page).not.toMatch(/<script|<link|src=|https?:\/\/(?!www\.w3\.org)(?!127\.)/);
});

test("the schema allows new fields for readers, and the tester writes no undeclared ones", () => {
  expect(strictErrors(result)).toEqual([]);
  for (const newer of [
    { ...result, mood: 1 },
    { ...result, meta: { ...result.meta, mood: 1 } },
    { ...result, metrics: result.metrics.map((metric) => ({ ...metric, mood: 1 })) },
    { ...result, series: result.series.map((one) => ({ ...one, mood: 1 })) },
  ]) {
    expect(publishedErrors(newer)).toEqual([]);
    const unknown = strictErrors(newer).filter(({ keyword }) => keyword === "additionalProperties");
    expect(unknown.map(({ params }) => params["additionalProperty"] as string)).toContain("mood");
  }
});

test("report shows earlier measurements", async () => {
  const path = await side("one", [12.5]);
  const { code, stdout } = await bench.runPlain("report", path);
  expect(code).toBe(0);
  expect(stdout).toMatch(/12\.5 ms {2}worst message, time to the last member/);
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
  expect(same.stdout).not.toMatch("not measured in the same way");
  const larger = file("larger.json");
  const { meta } = result;
  await writeFile(
    larger,
    JSON.stringify({ ...result, meta: { ...meta, options: { ...meta.options, payloadBytes: 999 } } }),
  );
  expect((await bench.runPlain("compare", base, larger)).stdout).toMatch(
    "broadcast: payloadBytes was 100, now 999",
  );
  const cut = file("cut.json");
  await writeFile(cut, JSON.stringify({ ...result, meta: { ...result.meta, interrupted: true } }));
  expect(await bench.runPlain("compare", base, cut)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("was interrupted. Leave it out"),
  });
  const once = await bench.runPlain("compare", base, slower.split(",")[0]!);
  expect(once.stdout).toMatch("too few runs");
});

test("64: a comparison is no result", async () => {
  const [sides, json] = [await side("same", [1]), file("comparison.json")];
  await bench.runPlain("compare", sides, sides, "--json", json);
  const { code, stderr } = await bench.runPlain("report", json);
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: `${json} is not a result of --json: it is of \`bench compare\`.\n`,
  });
});
