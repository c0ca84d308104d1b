import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Target {
  name: string;
  folder: string;
  /** Package of the builder; undefined: the script is in the folder itself. */
  builder?: string;
  /** The script with its arguments. */
  command: string[];
  output: string;
  sources: string[];
  priority: number;
}

const WEB: Target = {
  name: "web client",
  folder: "web",
  builder: "vite",
  command: ["bin/vite.js", "build", "--logLevel", "warn"],
  output: "web/dist/index.html",
  sources: [
    ...["index.html", "vite.config.ts", "package.json", "src", "build", "public"].map(
      (name) => `web/${name}`,
    ),
    "packages/client/src",
    "packages/contract/src",
    "packages/zip/src",
    "pnpm-lock.yaml",
  ],
  priority: os.constants.priority.PRIORITY_NORMAL,
};

const DOCS_SOURCES = [
  "index.md",
  "package.json",
  ".vitepress/config.ts",
  ".vitepress/theme",
  "adr",
  "benchmarks",
  "build",
  "images",
  "internals",
  "run",
  "use",
];

const DOCS: Target = {
  name: "documentation",
  folder: "docs",
  builder: "vitepress",
  command: ["bin/vitepress.js", "build"],
  output: "docs/dist/index.html",
  sources: DOCS_SOURCES.map((name) => `docs/${name}`),
  // Built while the server starts.
  priority: os.constants.priority.PRIORITY_LOW,
};

const SERVER: Target = {
  name: "server",
  folder: "services/node",
  command: ["package/build.ts"],
  output: "services/node/dist/main.js",
  // Read when they are needed: the tester's package doesn't have them.
  get sources() {
    return [
      ...["packages", "services"].flatMap((folder) =>
        readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/src`),
      ),
      "services/node/package/build.ts",
      "scripts/bundle",
      "pnpm-lock.yaml",
    ];
  },
  priority: os.constants.priority.PRIORITY_NORMAL,
};

async function newestChangeMs(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const entries = await readdir(path);
  const changes = await Promise.all(entries.map((entry) => newestChangeMs(join(path, entry))));
  return Math.max(found.mtimeMs, ...changes);
}

async function isBuildDue(target: Target): Promise<boolean> {
  if (!existsSync(join(ROOT, target.folder, "package.json"))) return false;
  const builtMs = (await stat(join(ROOT, target.output)).catch(() => undefined))?.mtimeMs ?? 0;
  const changes = await Promise.all(target.sources.map((source) => newestChangeMs(join(ROOT, source))));
  return Math.max(...changes) > builtMs;
}

/** @returns the output of a build that failed, otherwise undefined */
async function build({ folder, builder, command, priority }: Target): Promise<string | undefined> {
  const cwd = join(ROOT, folder);
  const place =
    builder === undefined
      ? cwd
      : dirname(createRequire(join(cwd, "package.json")).resolve(`${builder}/package.json`));
  const [script, ...args] = command;
  // A NODE_ENV for tests would make it a development build.
  const env = { ...process.env, NODE_ENV: "production" };
  const child = spawn(process.execPath, [join(place, script!), ...args], { cwd, env });
  process.once("exit", () => child.kill());
  if (child.pid !== undefined) os.setPriority(child.pid, priority);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(String(error)));
    child.once("close", (code) => resolve(code === 0 ? undefined : output.trim()));
  });
}

/** @returns the output of a build that failed, otherwise undefined */
async function buildIfDue(target: Target): Promise<string | undefined> {
  if (!(await isBuildDue(target))) return undefined;
  process.stderr.write(`Building the ${target.name}…\n`);
  const failure = await build(target).catch(String);
  if (failure === undefined) process.stderr.write(`Built the ${target.name}.\n`);
  return failure;
}

async function tryBuild(target: Target): Promise<void> {
  const failure = await buildIfDue(target);
  if (failure !== undefined) process.stderr.write(`Building the ${target.name} failed.\n${failure}\n`);
}

/** Builds the web client if its sources have changed. A failure is printed, and doesn't keep the server from starting. */
export const buildWebClient = (): Promise<void> => tryBuild(WEB);

/** Builds the documentation if its sources have changed. */
export const buildDocs = (): Promise<void> => tryBuild(DOCS);

/** @throws {Error} if the build fails */
async function mustBuild(target: Target): Promise<void> {
  const failure = await buildIfDue(target);
  if (failure !== undefined) throw new Error(`Building the ${target.name} failed.\n${failure}`);
}

/**
 * Builds the server if its sources have changed.
 * @throws {Error} if that fails
 */
export const buildServer = (): Promise<void> => mustBuild(SERVER);

/**
 * Builds the web client, the documentation or both if their sources have changed.
 * @throws {Error} if that fails
 */
export async function buildPages(...pages: ("web" | "docs")[]): Promise<void> {
  for (const page of pages) await mustBuild({ web: WEB, docs: DOCS }[page]);
}
