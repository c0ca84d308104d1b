import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import { startFakePlatform, type FakePlatform, type Fault, type FaultPlan } from "./fake-platform.ts";
import { strictErrors } from "./strict-schema.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const TINY = ["--users", "20", "--probes", "2", "--warmup", "0", "--idle", "20", "--interval", "10"];
const SMALL = [...TINY, "--messages", "2"];

let platform: FakePlatform;
let folder: string;
beforeAll(async () => {
  platform = await startFakePlatform();
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true });
});

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function bench(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** The exit code and the faults of a small broadcast to a faulty server. */
async function failureOf(faultOf: FaultPlan, storedAs?: FakePlatform["storedAs"]) {
  const faulty = await startFakePlatform(faultOf);
  if (storedAs) faulty.storedAs = storedAs;
  try {
    const args = ["broadcast", ...SMALL, "--timeout", "500", "--url", faulty.url];
    const { code, stderr } = await bench(...args);
    return { code, faults: /^The run failed: (.*)\. Use --allow /.exec(stderr)?.[1] };
  } finally {
    await faulty.close();
  }
}

/** Validates against the published schema, and allows no unknown fields. */
async function readResult(file: string): Promise<object> {
  const text = await readFile(file, "utf8");
  expect(strictErrors(JSON.parse(text))).toEqual([]);
  return JSON.parse(text) as object;
}

describe("exit codes", () => {
  test("0: the summary is on stdout, starting with the worst message, and stderr is empty", async () => {
    const { code, stdout, stderr } = await bench("broadcast", ...SMALL, "--url", platform.url, "--rounds");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout.split("\n")[3]).toMatch(
      /^ {2}worst {3}[\d.]+ ms {3}until the last member had the slowest of 2 warm messages$/,
    );
    expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
    expect(stdout).toMatch("3 sent · 3 acknowledged · 3 stored · 60 of 60 deliveries received");
    expect(stdout).not.toMatch("\u001B");
  });

  test.each([
    [["broadcast", "--users", "0"], "--users must be an integer from 1 to 1000000."],
    [["broadcast", "--user", "10"], "Unknown argument: user"],
    [["broadcast", "--threshold", "worst"], "Example: --threshold 'worst<1200'"],
    [["broadcast", "--url", "nonsense"], "is not a valid URL"],
    [["broadcast", "--url", "https://127.0.0.1"], "use --client socket.io"],
    [["broadcast", "--burst", "20,x"], "--burst must be an integer"],
    [["broadcast", "--users", "900000"], "ulimit -n 900200"],
    [["broadcast", "--json", "/nowhere/x.json"], "Could not write --json /nowhere/x.json"],
    [["limits", "--targets", "nginx"], "Choices: fanfare, socket.io, ws."],
    [["overload", "--reads", "--users", "20"], "Arguments reads and users are mutually exclusive"],
    [["overload", "--reads", "--mixed"], "Arguments reads and mixed are mutually exclusive"],
    [["overload", "--mixed", "--factor", "2"], "Arguments mixed and factor are mutually exclusive"],
    [["overload", "--mixed", "--gateways", "2"], "Arguments mixed and gateways are mutually exclusive"],
    [
      ["broadcast", "--allow", "loss"],
      "Write one of lost, unstored, storedTwice, dropped, duplicates, outOfOrder, corrupted, or all.",
    ],
    [[], "Specify a command"],
  ])("64: %j", async (args, message) => {
    await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
  });

  test("64: the message is on stderr, and stdout is empty", async () => {
    const { code, stderr, stdout } = await bench("broadcast", "--user", "10");
    expect(stderr).toBe("Unknown argument: user\nSee: bench --help\n");
    expect(stdout).toBe("");
    expect(code).toBe(64);
  });

  test.each([
    [[], 1],
    [["--allow", "duplicates"], 1],
    [["--allow", "duplicates,lost"], 0],
  ])("1: a message was lost, unless --allow names that: %j", async (allow, expected) => {
    const faulty = await startFakePlatform((member, message) =>
      member === 3 && message === 1 ? "drop" : undefined,
    );
    try {
      const args = ["broadcast", ...SMALL, "--timeout", "500", "--url", faulty.url, ...allow];
      const { code, stdout, stderr } = await bench(...args);
      expect(stdout).toMatch("lost 1");
      expect(stderr).toBe(
        expected === 0 ? "" : "The run failed: lost 1. Use --allow lost if that is expected.\n",
      );
      expect(code).toBe(expected);
    } finally {
      await faulty.close();
    }
  });

  const oneOf =
    (fault: Fault): FaultPlan =>
    (member, message) =>
      member === 3 && message === 1 ? fault : undefined;
  const changed = (change: (content: string) => string) => oneOf({ content: change });
  const corrupt = (content: string) => content.replace(/.$/, "-");
  const truncate = (content: string) => content.slice(0, -1);

  test.each([
    ["corrupts a delivery", changed(corrupt), "lost 1, corrupted 1"],
    ["truncates a delivery", changed(truncate), "lost 1, corrupted 1"],
    ["drops a delivery", oneOf("drop"), "lost 1"],
    ["duplicates a delivery", oneOf("duplicate"), "duplicates 1"],
    ["reorders deliveries", oneOf("hold until the next"), "out of order 1"],
  ])("1: a server that %s", async (_, faultOf, faults) => {
    expect(await failureOf(faultOf)).toEqual({ code: 1, faults });
  });

  const second = (content: string) => / 1 100 /.test(content);

  test.each([
    ["corrupts", (content: string) => [corrupt(content)], "acknowledged but not persisted 1"],
    ["truncates", (content: string) => [truncate(content)], "acknowledged but not persisted 1"],
    ["drops", () => [], "acknowledged but not persisted 1"],
    ["duplicates", (content: string) => [content, content], "stored twice 1"],
  ])("1: a server that %s a stored message", async (_, storedAs, faults) => {
    const failure = await failureOf(
      () => undefined,
      (content) => (second(content) ? storedAs(content) : [content]),
    );
    expect(failure).toEqual({ code: 1, faults });
  });

  test("2: connection refused", async () => {
    const { code, stderr } = await bench("broadcast", ...SMALL, "--url", "http://127.0.0.1:9");
    expect(stderr).toMatch("ECONNREFUSED");
    expect(code).toBe(2);
  });

  test("99: a threshold failed, and the result is still written", async () => {
    const json = join(folder, "threshold.json");
    const thresholds = ["--threshold", "worst<0.001", "--threshold", "lost==0"];
    const { code, stdout } = await bench(
      "broadcast",
      ...SMALL,
      "--url",
      platform.url,
      "--json",
      json,
      ...thresholds,
    );
    expect(stdout).toMatch(/FAILED {2}worst<0.001/);
    expect(stdout).toMatch(/passed {2}lost==0/);
    expect(code).toBe(99);
    expect(await readResult(json)).toMatchObject({
      thresholds: [
        { expression: "worst<0.001", passed: false },
        { expression: "lost==0", value: 0, passed: true },
      ],
    });
  });

  test("105: Ctrl-C prints the partial result", async () => {
    const json = join(folder, "interrupted.json");
    const args = [
      "broadcast",
      ...TINY,
      "--url",
      platform.url,
      "--messages",
      "1000",
      "--json",
      json,
      "--progress",
    ];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk: Buffer) => {
        if (chunk.includes("sending messages")) resolve();
      });
    });
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([105, null]);
    expect(stdout).toMatch("Interrupted: partial result.");
    expect(await readResult(json)).toMatchObject({ interrupted: true, counts: { lost: 0 } });
  });
});

test("--json of a broadcast follows the schema", async () => {
  const json = join(folder, "broadcast.json");
  await bench("broadcast", ...SMALL, "--url", platform.url, "--burst", "5", "--json", json);
  expect(await readResult(json)).toMatchObject({
    version: 2,
    command: "broadcast",
    users: 20,
    registration: { users: 20 },
    counts: { acknowledged: 18, stored: 18, received: 360 },
    bursts: [{ messages: 5 }, { messages: 5 }, { messages: 5 }],
  });
});

test("--json of limits follows the schema", async () => {
  const json = join(folder, "limits.json");
  const { code, stdout } = await bench(
    "limits",
    ...SMALL,
    "--targets",
    "socket.io,ws",
    "--passes",
    "2",
    "--json",
    json,
  );
  expect(code).toBe(0);
  expect(stdout).toMatch("2 passes each");
  expect(stdout).toMatch(
    /worst message, time to the last member +[\d,.]+ ms +[\d,.]+ ms\n {2}median message +[\d,.]+ ms/,
  );
  const result = (await readResult(json)) as { passes: { target: { name: string } }[] };
  expect(result.passes.map((pass) => pass.target.name)).toEqual(["socket.io", "ws", "socket.io", "ws"]);
});
