import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { freePort } from "../src/platform/programs.ts";
import type { Result } from "../src/report/result.ts";
import { measure } from "./measure.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";
import { Answer, serveFake } from "./serve-fake.ts";

const ROOM_SERVER = fileURLToPath(new URL("../examples/room-server.mjs", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../examples/murmur.ts", import.meta.url));

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** The example's server, as far as the example needs it. */
async function startMurmur() {
  let users = 0;
  const online = new Set<WebSocket>();
  return serveFake({
    answer({ route, body: { room, text } }) {
      if (route === "POST /messages")
        for (const socket of online) socket.send(JSON.stringify({ type: "message", text }));
      return new Answer(200, { token: `user ${users++} of ${String(room)}`, id: "lobby" });
    },
    socketPath: "/live",
    frameBytes: 1000,
    connected(socket) {
      socket.on("message", (data: Buffer) => {
        const { token } = JSON.parse(data.toString()) as { token: string };
        if (!/^user \d+ of lobby$/.test(token)) return socket.close(4001);
        online.add(socket);
        socket.send(JSON.stringify({ type: "welcome" }));
      });
      socket.on("close", () => online.delete(socket));
    },
  });
}

test("the example in the README is the one that is tested", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${await readFile(EXAMPLE, "utf8")}\`\`\``);
});

const CLIENTS = [
  { kind: "light", probes: 0, threads: 2 },
  { kind: "official", probes: 0 },
] as const;

for (const client of CLIENTS)
  test(
    `the example, with ${client.kind} receivers, measures a server unknown to the tester`,
    { tags: client.kind === "light" ? [] : "long" },
    async () => {
      const server = await startMurmur();
      try {
        const result = await measure({ ...client, burst: [10] }, { name: EXAMPLE, url: server.url });
        expect(result.target).toEqual({ name: "murmur", url: server.url, isThrowaway: false });
        expect(result.registration?.users).toBe(40);
        expect(result.counts).toMatchObject({ acknowledged: 14, stored: null, received: 560, lost: 0 });
      } finally {
        await server.close();
      }
    },
  );

test("on the command line", async () => {
  const server = await startMurmur();
  const small = ["--users", "20", "--warmup", "0", "--idle", "10ms", "--interval", "10ms"];
  const run = await bench.run("broadcast", ...small, "--target", EXAMPLE, "--url", server.url);
  await server.close();
  expect(run.stderr).toBe("");
  expect(run.stdout).toMatch(`Broadcast to 20 members\nmurmur at ${server.url}`);
  const labels = { server: "murmur" };
  const counts = { received: 420, lost: 0 };
  expect(metricValues(run.result as Result, ["received", "lost"], labels)).toEqual(counts);
});

test.each([
  ["murmur", "Choices: fanfare, socket.io, ws, tailchat, "],
  ["/nowhere/murmur.ts", "Could not load"],
  [EXAMPLE, "murmur: set the address of the server with --url"],
])("--target %s, without a server", async (name, message) => {
  await expect(measure({}, { name })).rejects.toThrow(message);
});

for (const kind of ["light", "official"] as const)
  test(
    `a running Socket.IO server with ${kind} receivers`,
    { tags: kind === "official" ? [] : "long" },
    async () => {
      const port = await freePort();
      const child = spawn(process.execPath, [ROOM_SERVER], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        const [line] = (await once(child.stdout, "data")) as [Buffer];
        const { counts } = await measure({ kind }, { name: "socket.io", url: line.toString().trim() });
        expect(counts).toMatchObject({ sent: 4, received: 160, lost: 0, stored: null });
      } finally {
        child.kill();
      }
    },
  );

test("an invalid plug-in is rejected with what is missing", async () => {
  const file = join(bench.folder, "half.mjs");
  await writeFile(file, `export default { name: "half", open() {} };`);
  await expect(measure({}, { name: file })).rejects.toThrow("its default export has no dialect.");
});
