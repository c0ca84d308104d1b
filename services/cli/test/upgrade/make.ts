import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@fanfare/testing";
import { instanceEnvironment } from "../../../../test/support/instance.ts";
import { fill } from "./fill.ts";

// `node services/cli/test/upgrade/make.ts <tag or commit> <name>`: makes `<name>.tar.gz`, the data folder of that version, and `<name>.json`,
// what clients saw of it. Run it after each release.

const PNPM = ["-y", "pnpm@12"];
const READY_TIMEOUT_MS = 60_000;

const [commit, name] = process.argv.slice(2);
if (commit === undefined || name === undefined) throw new Error("Usage: make.ts <tag or commit> <name>");
const target = (extension: string): string => join(import.meta.dirname, `${name}.${extension}`);

const work = await mkdtemp(join(tmpdir(), "fanfare-version-"));
const clone = join(work, "clone");
const run = (command: string, args: readonly string[], cwd = clone): void =>
  void execFileSync(command, args, { cwd, stdio: "inherit" });
try {
  const repository = execFileSync("git", ["rev-parse", "--show-toplevel"], { encoding: "utf8" }).trim();
  run("git", ["clone", "--quiet", "--shared", repository, clone], work);
  run("git", ["checkout", "--quiet", "--detach", commit]);
  run("npx", [...PNPM, "install", "--frozen-lockfile", "--prefer-offline"]);
  const known = await fillOnce();
  await writeFile(target("json"), `${JSON.stringify(known, null, 1)}\n`);
  // Without times, owners and the name of the machine's user.
  const neutral = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  run("tar", [...neutral, "-czf", target("tar.gz"), "-C", join(work, "data"), "."]);
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Starts the program of that version on an empty data folder, and stops it after everything is written. */
async function fillOnce(): Promise<unknown> {
  const port = await freePort();
  const env = {
    PATH: process.env["PATH"],
    ...instanceEnvironment(join(work, "data")),
    PORT: String(port),
    OPS_PORT: String(await freePort()),
  };
  const program = spawn(process.execPath, ["services/node/src/main.ts"], {
    cwd: clone,
    env,
    stdio: "inherit",
  });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  try {
    const url = `http://127.0.0.1:${port}`;
    const end = Date.now() + READY_TIMEOUT_MS;
    while (
      !(await fetch(`${url}/api/meta`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (Date.now() > end || program.exitCode !== null) throw new Error(`${commit} didn't start.`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return await fill(url);
  } finally {
    program.kill("SIGTERM");
    await ended;
  }
}
