import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { runCli } from "../src/cli/commands.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";
import type { Result } from "../src/report/result.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

const TINY = ["--users", "20", "--probes", "2", "--warmup", "0", "--idle", "20ms", "--interval", "10ms"];
const SMALL = [...TINY, "--messages", "2"];

let platform: FakePlatform;
let bench: Bench;
beforeAll(async () => {
  platform = await startFakePlatform();
  bench = await Bench.open();
});
afterAll(async () => {
  await platform.close();
  await bench.close();
});

describe("exit codes", () => {
  test("0: the summary is on stdout, starting with the worst message, and stderr says that it measures", async () => {
    const args = ["broadcast", ...SMALL, "--url", platform.url, "--each"];
    const { code, stdout, stderr } = await bench.runProgram(args);
    expect(stderr).toBe("Measuring: --progress shows how far it is.\n");
    expect(code).toBe(0);
    expect(stdout.split("\n")[3]).toMatch(/^ +[\d.]+ ms {2}worst message, time to the last member$/);
    expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
    const counts = {
      sent: 3,
      acknowledged: 3,
      stored: 3,
      "deliveries expected": 60,
      "deliveries received": 60,
    };
    for (const [label, value] of Object.entries(counts)) {
      expect(stdout).toMatch(new RegExp(`^ +${label} +${value}$`, "m"));
    }
    const each = stdout.slice(stdout.indexOf("Messages one by one"));
    expect(each.match(/^ +(cold|warm) .+ 20 +0 +0 +0$/gm)).toHaveLength(3);
    expect(stdout).not.toMatch("\u001B");
  });

  test.each([
    [["broadcast", "--users", "0"], "--users must be an integer from 1 to 1000000."],
    [["broadcast", "--user", "10"], "Unknown option: --user\nDid you mean --users?"],
    [["broadcast", "--conect-timeout", "5s"], "Did you mean --connect-timeout?"],
    [["broadcast", "--nonsense"], "Unknown argument: nonsense\nSee: pnpm bench broadcast --help"],
    [["broadcst"], "Unknown command: broadcst\nDid you mean broadcast?"],
    [["nonsense"], "Unknown argument: nonsense\nSee: pnpm bench"],
    [["broadcast", "--idle", "20"], "--idle must be a time such as 500ms, 90s, 30m or 2h"],
    [["broadcast", "--threshold", "worst<5"], "unknown metric worst. Metrics: worstMs, medianMs,"],
    [["broadcast", "--threshold", "worstMs"], "is invalid. Examples: --threshold 'worstMs<200'"],
    [["broadcast", "--url", "nonsense"], "is not a valid URL"],
    [["broadcast", "--burst", "20,x"], "--burst must be an integer"],
    [["broadcast", "--users", "900000"], "ulimit -n 900200"],
    [["broadcast", "--json", "/nowhere/x.json"], "Could not write --json /nowhere/x.json"],
    [["limits", "--targets", "nginx"], "--targets: unknown nginx. Choices: fanfare, socket.io, ws, tailchat"],
    [["pressure", "--load", "reads", "--users", "20"], "--users is only for --load mixed."],
    [["pressure", "--load", "both"], 'Choices: "reads", "mixed"'],
    [["pressure", "--load", "mixed", "--factor", "2"], "Unknown argument: factor"],
    [["pressure", "--load", "mixed", "--gateways", "2"], "Unknown argument: gateways"],
    [
      ["broadcast", "--allow", "loss"],
      "Write one of away, inexactCopies, lost, duplicates, outOfOrder, corrupted, strays, unstored, storedTwice, dropped, gaveUp, or all.",
    ],
    [["broadcast", "--interval", "1s", "--interval", "2s"], "--interval was given twice."],
    [["compare", "a.json", "b.json", "--json", "c.json", "--json", "d.json"], "--json was given twice."],
    [["broadcast", "--target", "fanfare:4", "--gateways", "2"], "omit --url and --target."],
    [
      ["broadcast", "--target", "fanfare:4", "--url", "http://127.0.0.1:9"],
      "can't be started with this number.",
    ],
    [["broadcast", "--target", "fanfare,ws"], "--target names one server."],
    [["suite", "--again", "--only", "sweep"], "--again measures nothing: omit --only."],
    [[], "Specify a command"],
  ])("64: %j", async (args, message) => {
    await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
  });

  test("64: the message is on stderr, and stdout is empty", async () => {
    const { code, stderr, stdout } = await bench.runProgram(["broadcast", "--user", "10"]);
    expect(stderr).toBe("Unknown option: --user\nDid you mean --users?\nSee: pnpm bench broadcast --help\n");
    expect(stdout).toBe("");
    expect(code).toBe(64);
  });

  const ALLOWED = [
    { allow: [], expected: 1, tags: "long" },
    { allow: ["--allow", "duplicates"], expected: 1, tags: [] },
    { allow: ["--allow", "duplicates,lost"], expected: 0, tags: [] },
  ];
  for (const { allow, expected, tags } of ALLOWED)
    test(`1: a message was lost, unless --allow names that: ${allow.join(" ")}`, { tags }, async () => {
      const faulty = await startFakePlatform((member, message) =>
        member === 3 && message === 1 ? "drop" : undefined,
      );
      try {
        const args = ["broadcast", ...SMALL, "--timeout", "500ms", "--url", faulty.url, ...allow];
        const { code, stdout, stderr } = await bench.run(...args);
        expect(stdout).toMatch("lost 1");
        expect(stderr).toBe(
          expected === 0 ? "" : "The run failed: lost 1. Use --allow lost if that is expected.\n",
        );
        expect(code).toBe(expected);
      } finally {
        await faulty.close();
      }
    });

  const STORING = [
    { name: "broadcast", serverAt: (url: string) => ["--url", url], tags: [] },
    {
      name: "versus",
      serverAt: (url: string) => ["--targets", `fanfare=${url}`, "--passes", "1", "--burst="],
      tags: "long",
    },
  ];
  for (const { name, serverAt, tags } of STORING)
    test(
      `1: a server that changes, truncates, drops or duplicates a stored message: ${name}`,
      { tags },
      async () => {
        const faulty = await startFakePlatform();
        const storedAs = [
          (content: string) => [content.replace(/.$/, "-")],
          (content: string) => [content.slice(0, -1)],
          () => [],
          (content: string) => [content, content],
        ];
        faulty.storedAs = (content) => storedAs[Number(content.split(" ")[2])]?.(content) ?? [content];
        try {
          const args = [name, ...TINY, "--messages", "5", ...serverAt(faulty.url)];
          const { code, stderr } = await bench.run(...args);
          expect(stderr).toMatch(
            "The run failed: acknowledged but not persisted 3, stored twice 1. Use --allow ",
          );
          expect(code).toBe(1);
        } finally {
          await faulty.close();
        }
      },
    );

  test("2: connection refused", async () => {
    const { code, stderr } = await bench.run("broadcast", ...SMALL, "--url", "http://127.0.0.1:9");
    expect(stderr).toMatch("ECONNREFUSED");
    expect(code).toBe(2);
  });

  test("99: a threshold failed, and the result is still written", async () => {
    const thresholds = ["--threshold", "worstMs<0.001", "--threshold", "lost==0"];
    const args = ["broadcast", ...SMALL, "--url", platform.url, ...thresholds];
    const { code, stdout, result } = await bench.run(...args);
    expect(stdout).toMatch(/FAILED {2}worstMs<0.001/);
    expect(stdout).toMatch(/passed {2}lost==0/);
    expect(code).toBe(99);
    expect(result).toMatchObject({
      thresholds: [
        { expression: "worstMs<0.001", passed: false },
        { expression: "lost==0", value: 0, passed: true },
      ],
    });
  });

  test("105: Ctrl-C prints the partial result", async () => {
    const args = ["broadcast", ...TINY, "--url", platform.url, "--messages", "1000"];
    const interrupt = (child: { kill(signal: "SIGINT"): unknown }) => child.kill("SIGINT");
    const { code, stdout, ...outcome } = await bench.runProgram(args, "sending messages", interrupt);
    expect(code).toBe(105);
    expect(stdout).toMatch("Interrupted: partial result");
    const result = outcome.result as Result;
    expect(result.meta.interrupted).toBe(true);
    expect(metricValue(result, "lost")).toBe(0);
  });
});

test("--json of a broadcast follows the schema", async () => {
  const outcome = await bench.run("broadcast", ...SMALL, "--url", platform.url, "--burst", "5");
  const result = outcome.result as Result;
  expect(result).toMatchObject({ version: 3, meta: { command: "broadcast", options: { users: 20 } } });
  const labels = { server: "fanfare", members: 20 };
  const counts = { sent: 18, acknowledged: 18, stored: 18, received: 360 };
  expect(metricValues(result, Object.keys(counts), labels)).toEqual(counts);
  expect(metricValue(result, "registrationsPerSecond")).toBeGreaterThan(0);
  expect(metricValue(result, "burstMs", { burst: 5 })).toBeGreaterThan(0);
});

test("--json of limits follows the schema", async () => {
  const args = ["limits", ...SMALL, "--targets", "socket.io,ws", "--passes", "2"];
  const { code, stdout, result } = await bench.run(...args);
  expect(code).toBe(0);
  expect(stdout).toMatch("2 passes each");
  const { metrics } = result as Result;
  const passes = metrics.filter(({ name }) => name === "worstMs").map(({ labels }) => labels);
  expect(passes.map(({ server, pass }) => [server, pass])).toEqual([
    ["socket.io", 1],
    ["ws", 1],
    ["socket.io", 2],
    ["ws", 2],
  ]);
  expect(metrics.find(({ name }) => name === "worstMsRatio")?.labels).toMatchObject({
    server: "socket.io",
    to: "ws",
  });
});

test("--version is the package's", async () => {
  const { code, stdout, stderr } = await bench.runProgram(["--version"]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: "" });
});
