import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server } from "socket.io";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";
import { listen } from "./serve-fake.ts";
import { startStrictServer } from "./strict-server.ts";

const STRICT = fileURLToPath(new URL("./strict-plugin.ts", import.meta.url));
const CHANNEL = "0123456789abcdef01234567";
const SMALL = ["--warmup", "0", "--messages", "2", "--idle", "10ms", "--interval", "10ms", "--probes", "5"];

let bench: Bench;
let file: string;
beforeEach(async () => {
  bench = await Bench.open();
  file = join(bench.folder, "tokens.txt");
});
afterEach(() => bench.close());

const writeTokens = (tokens: readonly string[]) => writeFile(file, `${tokens.join("\n")}\n`);
const members = (count: number, name = "guest") => Array.from({ length: count }, (_, i) => `${name}-${i}`);

/** A Socket.IO server as `--target socket.io` expects it, for users with one of these tokens. */
async function startRoom(tokens: readonly string[]) {
  const http = createServer();
  const io = new Server(http);
  const connected: string[] = [];
  io.use((socket, next) => {
    const { token } = socket.handshake.auth as { token?: string };
    if (!tokens.includes(token ?? "")) return next(new Error("UNKNOWN_TOKEN"));
    connected.push(token!);
    next();
  });
  io.on("connection", (socket) => {
    const { role } = socket.handshake.auth as { role?: string };
    if (role !== "sender") void socket.join("room");
    socket.on("message.send", (content: string, acknowledge: () => void) => {
      io.to("room").emit("message.created", { messages: [{ content }] });
      acknowledge();
    });
  });
  return { url: await listen(http), connected, close: () => io.close() };
}

describe("broadcast uses the users of the file", () => {
  const run = async (target: string, url: string, ...more: string[]) => {
    const args = ["--target", target, "--url", url, "--users", "20", "--tokens", file, ...more];
    const { stderr, result } = await bench.run("broadcast", ...SMALL, ...args);
    expect(stderr).toBe("");
    const labels = { server: target === STRICT ? "strict" : target };
    return metricValues(result as Result, ["received", "lost", "registrationsPerSecond"], labels);
  };
  const ALL = { received: 60, lost: 0, registrationsPerSecond: undefined };

  test("of a Fanfare", async () => {
    const platform = await startFakePlatform();
    await writeTokens(["owner", ...members(25)]);
    expect(await run("fanfare", platform.url, "--channel", CHANNEL)).toEqual(ALL);
    await platform.close();
  });

  test("of a Socket.IO server, each once", async () => {
    const tokens = ["owner", ...members(20)];
    const room = await startRoom(tokens);
    await writeTokens(tokens);
    expect(await run("socket.io", room.url)).toEqual(ALL);
    expect(room.connected.toSorted()).toEqual(tokens.toSorted());
    await room.close();
  });

  test("of a plug-in", async () => {
    const server = await startStrictServer();
    await writeTokens(["owner", ...members(20, "user")]);
    expect(await run(STRICT, server.url)).toEqual(ALL);
    server.close();
  });
});

test("2: a channel that the sender is not in", async () => {
  const platform = await startFakePlatform();
  await writeTokens(["owner", ...members(20)]);
  const args = ["--url", platform.url, "--users", "20", "--tokens", file, "--channel", "other"];
  const { code, stderr } = await bench.run("broadcast", ...SMALL, ...args, "--timeout", "100ms");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "message.list: CHANNEL_NOT_FOUND: This channel does not exist.\n",
  });
  await platform.close();
});

test("sweep and capacity use them too", { tags: "long" }, async () => {
  const room = await startRoom(["owner", ...members(20)]);
  await writeTokens(["owner", ...members(20)]);
  const target = ["--target", "socket.io", "--url", room.url, "--tokens", file];
  const sweep = await bench.run("sweep", ...SMALL, ...target, "--users", "10,20", "--burst", "");
  expect(sweep).toMatchObject({ code: 0, stderr: "" });
  const capacity = await bench.run("capacity", ...target, "--search", "users", "--limit", "5s");
  expect(capacity).toMatchObject({ code: 0, stderr: "" });
  expect(metricValues(capacity.result as Result, ["membersWithinLimit"], {})).toEqual({
    membersWithinLimit: 20,
  });
  await room.close();
});

const URL_OPTION = ["--url", "http://127.0.0.1:9"];

test.each([
  [
    "a\nb\nc\n",
    URL_OPTION,
    "has 3 lines, but 41 are needed: the sender's token, and one for each of 40 members.",
  ],
  ["a\n\nc\n", URL_OPTION, "line 2 is empty. Write one access token per line, the sender's first."],
  ["", URL_OPTION, "line 1 is empty."],
  [`{"tokens":["a"]}`, URL_OPTION, "line 1 is not a token."],
  ["name,token\n", URL_OPTION, "line 1 is not a token."],
  ["a\n", [], "--tokens belong to a running server: set its --url."],
  [members(41).join("\n"), URL_OPTION, "--tokens of fanfare need --channel"],
  [members(41).join("\r\n"), [...URL_OPTION, "--target", "matrix"], "--tokens of matrix need --channel"],
  [members(41).join("\n"), [...URL_OPTION, "--target", "ws"], "--target ws has no access tokens"],
])("64: %j with %j", async (text, options, message) => {
  await writeFile(file, text);
  const args = ["broadcast", "--users", "40", "--tokens", file, ...options];
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});

test.each([
  [
    ["broadcast", "--tokens", "/nowhere/tokens.txt", ...URL_OPTION],
    "Could not read --tokens /nowhere/tokens.txt",
  ],
  [["broadcast", "--channel", "1"], "--channel is only for --tokens."],
])("64: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});
