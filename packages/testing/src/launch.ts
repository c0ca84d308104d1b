import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { ServerProcess, type ServerProgram } from "./server-process.ts";

export interface LaunchOptions {
  /** What its log file is called; the kind of server by default. */
  name?: string;
  /** Default: a free one below 32,768. */
  port?: number;
  /** Where its log and its data lie; stays when it stops. Default: a temporary one that `stop` removes. */
  folder?: string;
}

export interface PasswordOptions {
  /** Letters, digits, - and _. It stands in a file that only this user can read, and not in the list of processes. */
  password?: string;
}

/** Writes a server's configuration, which has its password, where only this user can read it. @returns its path */
export function writeConfig(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  // The mode of a file that is there already would stay.
  rmSync(path, { force: true });
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  return path;
}

/** Chooses port and folder, and starts a server with them. */
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
