import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import {
  isInstalled,
  startDatabase,
  startLiveKit,
  startNats,
  startRedis,
  type ServerProcess,
} from "@fanfare/testing";
import { startNode } from "../support/node-process.ts";

const launchers: [string, string, () => Promise<ServerProcess>][] = [
  ["NATS", "nats-server", startNats],
  ["Redis", "redis-server", startRedis],
  ["LiveKit", "livekit-server", () => startLiveKit({ key: "key", secret: "s".repeat(32) })],
  ["the database", "node", startDatabase],
  ["Fanfare", "node", async () => (await startNode({})).process],
];

describe.each(launchers)("%s", (_, program, launch) => {
  test.skipIf(!isInstalled(program))(
    "can be killed, restarted on its port, frozen, resumed and stopped",
    async () => {
      const server = await launch();
      const first = server.pid;
      await server.kill();
      expect(server.pid).toBeUndefined();
      expect(await accepts(server.port)).toBe(false);
      await server.start();
      expect(server.pid).not.toBe(first);
      expect(await accepts(server.port)).toBe(true);
      server.freeze();
      server.thaw();
      await server.stop();
      expect(await accepts(server.port)).toBe(false);
      expect(existsSync(server.folder)).toBe(false);
      expect(server.crashes).toEqual([]);
    },
  );
});

test("reports its output if it fails to start", async () => {
  const server = await startDatabase();
  await expect(startDatabase({ port: server.port })).rejects.toThrow(/EADDRINUSE/);
  await server.stop();
});

test("does not outlive the process that started it, even if that is killed", async () => {
  const script = `
    import { startDatabase } from "@fanfare/testing";
    const server = await startDatabase();
    console.log(server.pid);
    setInterval(() => undefined, 1000);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
