import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { startSingleInstance, type Platform } from "../src/platform/platform.ts";
import { freePort } from "../src/platform/programs.ts";
import type { Result } from "../src/report/result.ts";
import { metricValues } from "./metric-value.ts";
import { strictErrors } from "./strict-schema.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const MAX_BYTES = 3_000_000;
const SMALL = ["--users", "50", "--messages", "5", "--idle", "50ms", "--interval", "10ms"];
const run = promisify(execFile);

/** What a machine has on which nothing but Node was ever installed. */
let env: NodeJS.ProcessEnv;
let folder: string;
let installed: string;
let program: string;

/** Runs the installed program. */
async function bench(...args: string[]) {
  const json = join(folder, "result.json");
  const child = spawn(program, args, { cwd: folder, env });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, "close")) as [number];
  const text = await readFile(json, "utf8").catch(() => "");
  await rm(json, { force: true });
  const result = text === "" ? undefined : (JSON.parse(text) as Result);
  return { code, stdout: stdout(), stderr: stderr(), result };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

test.each(["chat-server.mjs", "chat-plugin.mjs"])("the guide shows %s as it is", async (name) => {
  const guide = await readFile(join(ROOT, "../docs/benchmarks/other-servers.md"), "utf8");
  const [, ...code] = (await readFile(join(ROOT, "examples", name), "utf8")).split("\n");
  expect(guide).toContain(`\n\`\`\`js\n${code.join("\n").trim()}\n\`\`\`\n`);
});

describe("the package", { tags: "long" }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
    const home = join(folder, "home");
    await mkdir(home);
    const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
    env = { PATH: path, HOME: home, TMPDIR: folder };
    const offline = { ...process.env, npm_config_prefer_offline: "true" };
    const pack = ["-y", "pnpm@12", "pack", "--pack-destination", folder];
    await run("npx", pack, { cwd: ROOT, env: offline });
    const tarball = join(folder, `fanfare-bench-${packageJson.version}.tgz`);
    const install = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, tarball];
    await run("npm", install, { cwd: folder, env });
    installed = join(folder, "node_modules/fanfare-bench");
    program = join(folder, "node_modules/.bin/fanfare-bench");
    // With the libraries that a plug-in imports.
    await mkdir(join(folder, "plugins"));
    await symlink(join(ROOT, "node_modules"), join(folder, "plugins/node_modules"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("publishes the types of plug-ins", async () => {
    const file = join(folder, "plugin.mts");
    const plugin = `import type { TargetPlugin } from "fanfare-bench";
      export const bad: TargetPlugin = { name: "x" };`;
    await writeFile(file, plugin);
    const tsc = join(ROOT, "..", "node_modules", ".bin", "tsc");
    const args = ["--noEmit", "--strict", "--module", "nodenext", "--lib", "esnext,dom", "--types", "", file];
    const error = await run(tsc, args, { cwd: folder }).catch((failure: unknown) => failure);
    const errors = (error as { stdout: string }).stdout.trim().split("\n");
    expect(errors.filter((line) => !line.startsWith(" "))).toEqual([
      expect.stringMatching(
        /^plugin\.mts.*missing the following properties from type 'TargetPlugin': dialect, open/,
      ),
    ]);
  });

  test("is small, and installs nothing else", async () => {
    const names = await readdir(installed, { recursive: true });
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(installed, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
    expect(await readdir(join(folder, "node_modules"))).toEqual([
      ".bin",
      ".package-lock.json",
      "fanfare-bench",
    ]);
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as object;
    expect(Object.keys(manifest)).not.toContain("scripts");
    expect(manifest).toMatchObject({ engines: { node: ">=22" }, version: packageJson.version });
    expect(names).toEqual(expect.arrayContaining(["LICENSE", "README.md", "schema/result.v3.json"]));
  });

  test("runs with npx", async () => {
    const { stdout } = await run("npx", ["--offline", "fanfare-bench", "--version"], { cwd: folder, env });
    expect(stdout).toBe(`${packageJson.version}\n`);
  });

  test("its help has its name, and no figures of others", async () => {
    const { code, stdout } = await bench("--help");
    expect(code).toBe(0);
    expect(stdout).toMatch("fanfare-bench broadcast");
    expect(stdout).not.toMatch(/pnpm|(?<!fanfare-)\bbench /);
    expect((await bench("broadcast", "--help")).stdout).toMatch("fanfare-bench broadcast --users 10000");
  });

  test.each([
    [
      ["brodcast"],
      "Unknown command: brodcast\nDid you mean broadcast?\nSee: fanfare-bench brodcast --help\n",
    ],
    [["broadcast", "--user", "9"], "Did you mean --users?\nSee: fanfare-bench broadcast --help\n"],
    [["broadcast", ...SMALL], "Starting the server needs a checkout of Fanfare: run pnpm bench there."],
    [["storm", "--users", "50"], "Starting a cluster needs a checkout of Fanfare"],
    [["suite"], "The suite needs a checkout of Fanfare"],
    [["echo"], "Starting the server needs a checkout of Fanfare"],
  ])("64: %j", async (args, message) => {
    const { code, stdout, stderr } = await bench(...args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(code).toBe(64);
  });

  test("says which Node it needs", async () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, program, "--version"];
    const error = await run(process.execPath, args, { env }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: 64,
      stderr: "fanfare-bench needs Node 22 or newer. This is Node 20.19.0.\n",
    });
  });

  describe("measures", () => {
    let server: ChildProcess | undefined;
    afterAll(() => server?.kill());

    /** A program of the examples, in this repository because it needs Socket.IO. */
    async function start(example: string): Promise<string> {
      server?.kill();
      const port = await freePort();
      server = spawn(process.execPath, [join(ROOT, "examples", example)], {
        env: { ...env, PORT: String(port) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(server.stdout!, "data")) as [Buffer];
      return line.toString().trim();
    }

    async function broadcast(...args: string[]) {
      const { code, stdout, stderr, result } = await bench(
        "broadcast",
        ...SMALL,
        "--json",
        "result.json",
        ...args,
      );
      return {
        code,
        stderr,
        faults: /^ {2}lost .*$/m.exec(stdout)?.[0].trim(),
        violations: strictErrors(result),
        ...metricValues(result!, ["received", "lost"]),
        commit: result!.meta.environment.commit,
      };
    }
    const complete = {
      code: 0,
      stderr: "Measuring: --progress shows how far it is.\n",
      faults: "lost 0 · duplicates 0 · out of order 0 · corrupted 0 · connections dropped 0",
      violations: [],
      received: 450,
      lost: 0,
      commit: null,
    };

    test.each([[], ["--threads", "2"], ["--threads", "2", "--client", "socket.io"]])(
      "a running Socket.IO server %j",
      async (...args) => {
        const url = await start("room-server.mjs");
        expect(await broadcast("--target", "socket.io", "--url", url, ...args)).toEqual(complete);
      },
    );

    test.each(["socket.io", "ws"])("a bare %s that it starts", async (target) => {
      expect(await broadcast("--target", target)).toEqual(complete);
    });

    test.each(["chat-plugin.mjs", "chat-plugin.mts"])("with a plug-in: %s", async (name) => {
      const url = await start("chat-server.mjs");
      await cp(join(ROOT, "examples/chat-plugin.mjs"), join(folder, "plugins", name));
      const run = await broadcast("--target", `plugins/${name}`, "--url", url, "--threads", "2");
      expect(run).toEqual(complete);
    });
  });

  describe("measures a running Fanfare", () => {
    let platform: Platform;
    beforeAll(async () => {
      platform = await startSingleInstance(new AbortController().signal);
    });
    afterAll(() => platform.close());

    // Together these start every kind of thread and child process that the package has for them.
    test.each([
      ["broadcast", ...SMALL],
      ["direct", "-c", "100", "-t", "10", "--sending-threads", "2"],
      ["login", "-c", "100", "-t", "10"],
      ["http", "--connections", "10", "-c", "100", "--users", "20", "--channels", "20", "--warmup", "20"],
      ["connect", "--users", "20", "--hold", "1s", "--settle", "1s"],
    ])("%s", async (...args) => {
      const { code, stderr, result } = await bench(
        ...args,
        "--url",
        platform.gateways[0]!.url,
        "--json",
        "result.json",
      );
      expect({ code, stderr, violations: strictErrors(result) }).toEqual({
        code: 0,
        stderr: "Measuring: --progress shows how far it is.\n",
        violations: [],
      });
    });
  });
});
