import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = join(root, "web");
const built = join(web, "dist", "index.html");
const sources = [
  join(web, "index.html"),
  join(web, "vite.config.ts"),
  join(web, "package.json"),
  join(web, "src"),
  join(web, "build"),
  join(web, "public"),
  join(root, "packages", "client", "src"),
  join(root, "packages", "contract", "src"),
];

async function newestChangeMs(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const entries = await readdir(path);
  const changes = await Promise.all(entries.map((entry) => newestChangeMs(join(path, entry))));
  return Math.max(found.mtimeMs, ...changes);
}

async function isBuildDue(): Promise<boolean> {
  if (!existsSync(join(web, "index.html"))) return false;
  const builtMs = (await stat(built).catch(() => undefined))?.mtimeMs ?? 0;
  const changes = await Promise.all(sources.map(newestChangeMs));
  return Math.max(...changes) > builtMs;
}

/** @returns what the build printed when it failed, otherwise undefined */
async function build(): Promise<string | undefined> {
  const manifest = createRequire(join(web, "package.json")).resolve("vite/package.json");
  const vite = join(dirname(manifest), "bin", "vite.js");
  const child = spawn(process.execPath, [vite, "build", "--logLevel", "warn"], { cwd: web });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(String(error)));
    child.once("close", (code) => resolve(code === 0 ? undefined : output.trim()));
  });
}

/** Builds the page where its sources have changed. A build that fails is told, and no reason not to start. */
export async function buildPage(): Promise<void> {
  if (!(await isBuildDue())) return;
  process.stdout.write("Building the web page…\n");
  const failure = await build().catch(String);
  if (failure === undefined) return;
  process.stderr.write(
    `The web page could not be built; the server starts without the change.\n${failure}\n`,
  );
}
