import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { ServerProcess, type ServerProgram } from "./server-process.ts";

export interface LaunchOptions {
  /** The name of the log file. Default: the kind of server. */
  name?: string;
  /** Default: a free port below 32,768. */
  port?: number;
  /** The folder of the log and the data; `stop` doesn't remove it. Default: a temporary folder. */
  folder?: string;
}

export interface PasswordOptions {
  /** Letters, digits, - and _. Passed in a private file, not on the command line. */
  password?: string;
}

/** Writes a server's configuration with its password, readable only by this user. @returns the path */
export function writeConfig(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  // An existing file would keep its mode.
  rmSync(path, { force: true });
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  return path;
}

/** Starts a server with a free port and a temporary folder unless they are given. */
export async function startServer(
  kind: string,
  options: LaunchOptions,
  program: (place: {
    port: number;
    folder: string;
  }) => Omit<ServerProgram, "name" | "port" | "folder" | "temporary">,
): Promise<ServerProcess> {
  const port = options.port ?? (await freePort());
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), `fanfare-${kind}-`)));
  const server = new ServerProcess({
    ...program({ port, folder }),
    name: options.name ?? kind,
    port,
    folder,
    temporary: options.folder === undefined,
  });
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}
