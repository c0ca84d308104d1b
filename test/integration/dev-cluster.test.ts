import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createGuest, freePort, isInstalled, must } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/dev-cluster.ts", import.meta.url));
/** Of the second gateway, and for health of both gateways and both workers, above the first gateway's port. */
const OTHER_PORTS_ABOVE = [1, 100, 101, 150, 151];

interface Run {
  child: ChildProcess;
  printed: string;
  exited: Promise<number | null>;
}

let folder: string;
let port: number;
const runs: Run[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-dev-cluster-"));
  port = await freePort(...OTHER_PORTS_ABOVE);
});
afterAll(async () => {
  for (const { child, exited } of runs) {
    child.kill("SIGKILL");
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
});

function run(...args: string[]): Run {
  return runWith({}, ...args);
}

function runWith(env: Record<string, string>, ...args: string[]): Run {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env["PATH"], PORT: String(port), DATA_DIR: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const started: Run = { child, printed: "", exited };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (started.printed += chunk.toString()));
  }
  runs.push(started);
  return started;
}

async function prints(started: Run, text: string): Promise<void> {
  while (!started.printed.includes(text)) {
    if (started.child.exitCode !== null) throw new Error(`It exited and printed:\n${started.printed}`);
    await delay(20);
  }
}

async function stop(started: Run): Promise<void> {
  const pids = [...started.printed.matchAll(/(?:gateway|worker)-\d (\d+)|(?:nats|redis|database) (\d+)/g)];
  started.child.kill("SIGINT");
  expect(await started.exited).toBe(0);
  expect(pids.length).toBeGreaterThanOrEqual(5);
  for (const [, ofNode, ofServer] of pids) {
    expect(() => process.kill(Number(ofNode ?? ofServer), 0)).toThrow("ESRCH");
  }
}

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))("pnpm dev:cluster", () => {
  test(
    "starts, restarts crashed processes, stops all of them, and keeps its data",
    { tags: "long" },
    async () => {
      const first = run("--gateways", "2", "--workers", "1");
      await prints(first, "Ctrl-C");
      const urls = [...first.printed.matchAll(/Gateway \d {2}(\S+)/g)].map((found) => found[1]!);
      expect(urls).toHaveLength(2);
      const { accessToken } = await createGuest(urls[0]!);
      await must(urls[1]!, "user.me", {}, accessToken);

      const natsPassword = await passwordOf("nats");
      const redisPassword = await passwordOf("redis");
      const natsPort = await portOf("nats", first);
      const redisPort = await portOf("redis", first);
      expect(await lastAnswer(natsPort, 'CONNECT {"verbose":false}\r\nPING\r\n')).toContain(
        "Authorization Violation",
      );
      expect(await lastAnswer(redisPort, "GET key\r\nQUIT\r\n")).toContain("-NOAUTH");
      const right = `CONNECT {"verbose":true,"user":"fanfare","pass":"${natsPassword}"}\r\n`;
      expect(await lastAnswer(natsPort, right)).toContain("+OK");
      expect(await lastAnswer(redisPort, `AUTH ${redisPassword}\r\nQUIT\r\n`)).toContain("+OK");
      for (const commandLine of await commandLines()) {
        expect(commandLine).not.toContain(natsPassword);
        expect(commandLine).not.toContain(redisPassword);
      }

      process.kill(Number(/worker-1 (\d+)/.exec(first.printed)![1]), "SIGKILL");
      await prints(first, "worker-1 exited (SIGKILL). Restarting.");
      await prints(first, "worker-1 is running again, pid ");
      await must(urls[1]!, "user.me", {}, accessToken);
      await stop(first);

      const second = run("--gateways", "1", "--workers", "1");
      await prints(second, "Ctrl-C");
      await must(urls[0]!, "user.me", {}, accessToken);
      expect(await passwordOf("nats")).not.toBe(natsPassword);
      expect(await passwordOf("redis")).not.toBe(redisPassword);
      await stop(second);
    },
  );
});

/** Reads the password from the server's configuration, which only this user can read. */
async function passwordOf(server: "nats" | "redis"): Promise<string> {
  const path = join(folder, server, `${server}.conf`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const password = /(?:password: "|requirepass )([\w-]{32})/.exec(await readFile(path, "utf8"))?.[1];
  return password!;
}

/** Reads the port from the server's command line. */
async function portOf(server: "nats" | "redis", { printed }: Run): Promise<number> {
  const pid = new RegExp(`${server} (\\d+)`).exec(printed)![1];
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
  // redis-server rewrites its command line.
  return Number(/(?:-p\0|:)(\d+)/.exec(commandLine)![1]);
}

async function commandLines(): Promise<string[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(names.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
}

/** Everything the server sends until it answers or closes the connection. */
async function lastAnswer(port: number, say: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let received = "";
  socket.on("data", (chunk: string) => (received += chunk)).on("error", () => undefined);
  socket.write(say);
  await vi.waitFor(() => expect(received).toMatch(/\+OK|-NOAUTH|-ERR/), 30_000);
  socket.destroy();
  return received;
}

test("--help describes the command and its options", { tags: "long" }, async () => {
  const asked = run("--help");
  expect(await asked.exited).toBe(0);
  expect(asked.printed).toContain("usage: pnpm dev:cluster [--gateways 2] [--workers 2]");
  for (const setting of ["--gateways", "--workers", "PORT", "HOST", "DATA_DIR"])
    expect(asked.printed).toContain(`  ${setting} `);
});

describe("before starting anything", () => {
  test("a missing program is named, with how to install it", async () => {
    // None of the folders searched besides PATH has redis-server.
    const started = runWith({ PATH: folder });
    expect(await started.exited).toBe(1);
    expect(started.printed).toMatch(
      /^redis-server is missing\. Debian and Ubuntu: sudo apt install redis-server; .*\n$/m,
    );
  });

  for (const above of [0, 1, 100, 150])
    test(
      `a port in use (PORT + ${above}) is reported in one line that says what to do`,
      { tags: above === 1 ? [] : "long" },
      async () => {
        const other = createServer().listen(port + above, "127.0.0.1");
        await once(other, "listening");
        const started = run();
        expect(await started.exited).toBe(1);
        expect(started.printed).toMatch(
          new RegExp(
            `^Port ${port + above} is in use by another program\\. .*PORT=\\d+ npx -y pnpm@12 dev:cluster.*\\n$`,
          ),
        );
        other.close();
      },
    );
});

test("wrong arguments print the usage", async () => {
  const wrong = run("--gateways", "none");
  expect(await wrong.exited).toBe(1);
  expect(wrong.printed).toContain("usage: pnpm dev:cluster [--gateways 2] [--workers 2]");
});
