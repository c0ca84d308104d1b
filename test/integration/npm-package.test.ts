import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { PROJECT_FOLDER } from "@fanfare/testing";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

/** Without the packages that npm installs for it. */
const MAX_BYTES = 60_000_000;
/** Builds the pages if they are out of date, and downloads Node and sharp. */
const INSTALL_TIMEOUT_MS = 1_200_000;
const ACCOUNT = { username: "ada", password: "correct horse" };
/** Any free ports. */
const PORTS = { PORT: "0", OPS_PORT: "0" };
const run = promisify(execFile);

/** What a machine has on which nothing but Node was ever installed. */
let env: NodeJS.ProcessEnv;
let folder: string;
let installed: string;

interface Program {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  exited: Promise<number | null>;
}
const started: Program[] = [];

/** Starts the installed program. */
function fanfare(args: readonly string[] = [], more: NodeJS.ProcessEnv = PORTS): Program {
  return start(join(folder, "node_modules/.bin/fanfare"), args, more);
}

function start(program: string, args: readonly string[], more: NodeJS.ProcessEnv): Program {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const all: Program = { child, stdout: "", stderr: "", exited };
  child.stdout.on("data", (chunk: Buffer) => (all.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (all.stderr += chunk.toString()));
  started.push(all);
  return all;
}

async function toEnd(args: readonly string[], more?: NodeJS.ProcessEnv) {
  const program = fanfare(args, more);
  const code = await program.exited;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

/** The addresses that it has printed. */
const urlsOf = ({ stdout }: Program): string[] =>
  [...stdout.matchAll(/running at (\S+)/g)].map(([, url]) => url!);

/** The URL that it prints at its first or a later start. */
async function urlOf(program: Program, start = 0): Promise<string> {
  await expect
    .poll(() => program.child.exitCode ?? urlsOf(program).length, { timeout: 120_000 })
    .toBeGreaterThan(start);
  const url = urlsOf(program)[start];
  if (url === undefined) throw new Error(`It ended: ${program.stderr}`);
  return url;
}

async function stop(program: Program): Promise<void> {
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(0);
}

describe("the npm package", { tags: "long" }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-npm-"));
    const home = join(folder, "home");
    await mkdir(home);
    // With the Node of this machine instead of the one that runs the tests.
    const path = process.env["PATH"]!.split(delimiter).filter((each) => !each.includes("node_modules"));
    env = { PATH: path.join(delimiter), HOME: home, TMPDIR: tmpdir() };
    // With the registry, the cache and the certificates of this machine.
    const preferOffline = { ...process.env, PATH: env["PATH"], npm_config_prefer_offline: "true" };
    const pack = ["-y", "pnpm@12", "pack", "--pack-destination", folder];
    await run("npx", pack, { cwd: join(PROJECT_FOLDER, "services/cli"), env: preferOffline });
    const tarball = join(folder, `fanfare-${packageJson.version}.tgz`);
    const install = ["install", "--no-audit", "--no-fund", "--prefix", folder, tarball];
    await run("npm", install, { cwd: folder, env: preferOffline });
    installed = join(folder, "node_modules/fanfare");
  }, INSTALL_TIMEOUT_MS);
  afterEach(async () => {
    for (const { child, exited } of started.splice(0)) {
      child.kill("SIGKILL");
      await exited;
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("has the server, the pages and the licenses, and needs only what is native", async () => {
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as object;
    expect(Object.keys(manifest)).not.toContain("scripts");
    expect(manifest).toMatchObject({
      version: packageJson.version,
      dependencies: { sharp: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      optionalDependencies: packageJson.optionalDependencies,
    });
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.map((path) => path.slice(installed.length + 1))).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "docs/run/index.html",
        "web/index.html",
        "host-main.js",
        "plugins/github/plugin.json",
      ]),
    );
    const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
    const licenses = await readFile(join(installed, "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["mongoose", "yargs", "react", "@fontsource-variable/inter", "vue"])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
  });

  test("runs with npx, and has its version and its commands", async () => {
    const npx = (...args: string[]) => run("npx", ["--offline", "fanfare", ...args], { cwd: folder, env });
    expect((await npx("--version")).stdout).toBe(`${packageJson.version}\n`);
    expect((await npx("--help")).stdout).toMatch(/fanfare start .*fanfare backup .*fanfare import /s);
    expect((await npx("start", "--help")).stdout).toContain("fanfare start");
  });

  test("keeps messages across restarts, and its commands use the same data", async () => {
    const first = fanfare();
    const url = await urlOf(first);
    expect(first.stdout).toContain(join(folder, ".fanfare"));
    expect(first.stdout).toContain("the first to register becomes admin");
    expect(first.stdout).toContain(`npx fanfare-bench broadcast --users 1000 --url ${url}`);
    expect(await (await fetch(url)).text()).toContain('<div id="root">');
    expect((await fetch(`${url}/docs/run/`)).status).toBe(200);

    const client = new FanfareClient({ url });
    await client.register(ACCOUNT);
    expect(await client.call("admin.listUsers", {})).toMatchObject({ users: [{ username: "ada" }] });
    await client.connect();
    const { channels } = await client.call("group.create", { name: "Here" });
    const channelId = channels[0]!.id;
    const image = await sharp({ create: { width: 9, height: 5, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const file = await client.upload(channelId, "red.png", new Blob([new Uint8Array(image)]));
    const view = client.channel(channelId);
    await view.load();
    await view.send("Are you still there?", { attachmentIds: [file.fileId] });
    client.close();
    expect(await toEnd(["backup", "all.backup"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The instance kept running."),
    });
    await stop(first);
    expect(first.stderr).toBe("");
    expect((await toEnd(["verify", "all.backup"])).code).toBe(0);
    expect(await toEnd(["check"])).toMatchObject({ code: 0, stdout: "No problems found.\n" });

    const second = start("npx", ["--offline", "fanfare"], { ...PORTS, GATEWAY_THREADS: "0" });
    const later = new FanfareClient({ url: await urlOf(second) });
    await later.login(ACCOUNT);
    const { messages } = await later.call("message.list", { channelId });
    expect(messages).toMatchObject([
      { content: "Are you still there?", attachments: [{ name: "red.png", width: 9, height: 5 }] },
    ]);
    later.close();
    // Ends npx, which doesn't pass it on.
    second.child.kill("SIGTERM");
    await second.exited;
    expect((await toEnd(["check"])).stdout).toBe("No problems found.\n");
  });

  test("restarts the server when its database is killed", async () => {
    const program = fanfare();
    await urlOf(program);
    const other = await toEnd([]);
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toMatch(
      /^The data folder .* DATA_DIR=\.fanfare-2 PORT=\d+ OPS_PORT=\d+ npx fanfare\n$/,
    );
    process.kill(Number(/in use by process (\d+)/.exec(other.stderr)![1]), "SIGKILL");
    await urlOf(program, 1);
    expect(program.stderr).toContain("Fanfare exited (exit code 70). Restarting.\n");
    await stop(program);
  });

  test("says why it doesn't start", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const busy = await toEnd([], { ...PORTS, PORT: String(port) });
    other.close();
    expect(busy).toMatchObject({ code: 1, stdout: "" });
    expect(busy.stderr).toMatch(
      new RegExp(`^Port ${port} is in use .*: PORT=\\d+ OPS_PORT=\\d+ npx fanfare\\n$`),
    );

    await writeFile(join(folder, "file"), "");
    const unusable = await toEnd([], { ...PORTS, DATA_DIR: "file/data" });
    expect(unusable).toMatchObject({ code: 1, stdout: "" });
    expect(unusable.stderr).toMatch(/^DATA_DIR=file\/data cannot be used: .*Choose a folder.*\n$/);

    const unknown = await toEnd(["bakcup"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/^Unknown .*bakcup\nSee: fanfare --help\n$/);
  });

  test("says which Node it needs, where the package has none", async () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`;
    const old = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, join(installed, "bin.js")];
    const version = () => run(process.execPath, [...old, "--version"], { cwd: folder, env });
    const modules = join(folder, "node_modules");
    const [node] = (await readdir(modules)).filter((name) => name.startsWith("node-"));
    expect((await version()).stdout).toBe(`${packageJson.version}\n`);
    await rename(join(modules, node!), join(folder, node!));
    const error = await version().catch((failure: unknown) => failure);
    await rename(join(folder, node!), join(modules, node!));
    expect(error).toMatchObject({
      code: 1,
      stderr:
        "Fanfare needs Node 24.11 or newer. This is Node 20.19.0, and the package has none for this machine.\n",
    });
  });
});
