import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PROJECT_FOLDER, type ServerProcess, freePort, startServer } from "@fanfare/testing";
import { instanceEnvironment } from "../../../../test/support/instance.ts";

/** Until there is a release: the last version whose search index was another one. Four migrations follow. */
const BEFORE_RELEASES = "e4170bc0bf2fbbbb81511c8695bdf180c5b52847";
const SECRET = randomBytes(32).toString("hex");
const SERVER_AND_COMMANDS = ["--filter", "@fanfare/node...", "--filter", "@fanfare/cli..."];

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", PROJECT_FOLDER, ...args], { encoding: "utf8" }).trim();

/** The newest release before this version. */
export function previousRelease(): string {
  const older = ["--list", "v[0-9]*", "--merged", "HEAD", "--no-contains", "HEAD"];
  const tags = git("tag", ...older, "--sort=-version:refname").split("\n");
  // Git sorts v1.0.0-rc.1 after v1.0.0.
  return tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? BEFORE_RELEASES;
}

/**
 * Checks out a version into a new folder, and installs what its lockfile has for the server and the commands.
 * @throws {Error} if this clone doesn't have the version
 */
export function installVersion(commit: string, folder: string): void {
  try {
    git("cat-file", "-e", `${commit}^{commit}`);
  } catch (error) {
    const message = `This clone has no ${commit}. Fetch the whole history: git fetch --unshallow --tags`;
    throw new Error(message, { cause: error });
  }
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", PROJECT_FOLDER, folder]);
  execFileSync("git", ["checkout", "--quiet", "--detach", commit], { cwd: folder });
  const install = ["install", "--frozen-lockfile", "--prefer-offline", "--prod"];
  execFileSync("npx", ["-y", "pnpm@12", ...SERVER_AND_COMMANDS, ...install], { cwd: folder, stdio: "pipe" });
}

/**
 * Starts the program of a version, as `pnpm dev` does.
 * @param clone the folder of the version
 * @param folder where it writes its log
 * @throws {Error} with what it printed, if it doesn't start
 */
export async function startVersion(clone: string, folder: string, dataDir: string): Promise<ServerProcess> {
  const opsPort = await freePort();
  return startServer("fanfare", { folder }, ({ port }) => ({
    command: process.execPath,
    args: [join(clone, "services/node/src/main.ts")],
    cwd: clone,
    env: environment(dataDir, { PORT: String(port), OPS_PORT: String(opsPort) }),
    url: `http://127.0.0.1:${port}`,
    isReady: async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok,
  }));
}

/** Runs a command of a version. @returns what it printed */
export const runVersion = (clone: string, dataDir: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(clone, "services/cli/src/main.ts"), ...args], {
    cwd: clone,
    env: { PATH: process.env["PATH"], ...environment(dataDir) },
    encoding: "utf8",
    stdio: "pipe",
  });

const environment = (dataDir: string, more: Record<string, string> = {}) => ({
  ...instanceEnvironment(dataDir),
  NODE_ENV: "development",
  // A backup doesn't have the secret that is made in a data folder.
  TOKEN_SECRET: SECRET,
  ...more,
});
