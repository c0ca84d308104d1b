import { join } from "node:path";
import { startServer, type LaunchOptions } from "./launch.ts";
import { PROJECT_FOLDER } from "./programs.ts";
import type { ServerProcess } from "./server-process.ts";

const PROGRAM = join(PROJECT_FOLDER, "packages/embedded-mongo/src/main.ts");

/**
 * Starts the embedded database as a program of its own, on a free port unless one is given. What it acknowledged it still has
 * when it is killed and started again.
 * @throws {Error} when it does not start
 */
export function startDatabase(options: LaunchOptions = {}): Promise<ServerProcess> {
  return startServer("database", options, ({ port, folder }) => ({
    command: process.execPath,
    args: [PROGRAM, "--dir", join(folder, "data"), "--port", String(port)],
    url: `mongodb://127.0.0.1:${port}`,
    isReady: (printed) => printed.includes("ready mongodb://"),
  }));
}
