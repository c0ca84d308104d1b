#!/usr/bin/env node
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { supervise } from "../../../scripts/supervise.ts";
import packageJson from "../../../package.json" with { type: "json" };

// Runs with any Node that npm runs with: finds one that is new enough, and runs the program with it.

const FOLDER = dirname(fileURLToPath(import.meta.url));
const NEEDED = packageJson.engines.node.replace(">=", "");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Of a program that a signal has ended, plus the number of the signal. */
const SIGNALED = 128;
const PARENT_CHECK_MS = 500;

/** The running Node if it is new enough, otherwise the one that npm installed with this package, if it works on this machine. */
function findNode(): string | undefined {
  const { node } = process.versions;
  if (NEEDED.localeCompare(node, undefined, { numeric: true }) <= 0) return process.execPath;
  const platform = `-${process.platform}-${process.arch}`;
  const name = Object.keys(packageJson.optionalDependencies).find((each) => each.endsWith(platform));
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const path = join(dirname(manifest), "bin/node");
    return spawnSync(path, ["--version"]).status === 0 ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs a command to its end, and ends like it. */
function run(node: string, args: readonly string[]): void {
  const child = spawn(node, args, { stdio: "inherit" });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.once("exit", (code, signal) => process.exit(code ?? SIGNALED + constants.signals[signal!]));
}

/** npm passes SIGTERM only to the shell between it and this process, and the shell ends without passing it on. */
function stopWithParent(): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS).unref();
}

const node = findNode();
if (node === undefined) {
  console.error(
    `Fanfare needs Node ${NEEDED} or newer. This is Node ${process.versions.node}, and the package has none for this machine.`,
  );
  process.exit(1);
}
// Beside the packages, so that the cache goes when they go.
process.env["NODE_COMPILE_CACHE"] ||= join(FOLDER, "../.cache/fanfare");
if (process.env["npm_command"] === "exec") stopWithParent();
const [command = "start", ...args] = process.argv.slice(2);
const program = [join(FOLDER, "main.js"), command, ...args];
if (command === "start") void supervise(node, ["--max-semi-space-size=16", ...program]);
else run(node, program);
