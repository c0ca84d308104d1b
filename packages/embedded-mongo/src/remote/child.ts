import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { EmbeddedMongoOptions } from "../options.ts";
import type { FromServer } from "./messages.ts";
import { supervise, type SupervisedMongo } from "./supervise.ts";

const MAIN = fileURLToPath(new URL("./child-main.ts", import.meta.url));

/**
 * Starts the server in a child process, with its own event loop, heap and thread pool. It exits when its owner dies, and ignores
 * Ctrl-C, so that the owner can call `close()` once the database is no longer needed.
 * `onFatal` is not available here; a failing server exits the process, which `onExit` reports.
 * @throws the errors of startEmbeddedMongo
 */
export function startEmbeddedMongoProcess({
  onProgress,
  ...options
}: Omit<EmbeddedMongoOptions, "onFatal">): Promise<SupervisedMongo> {
  const child = fork(MAIN, { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.send(options);
  return supervise(
    {
      onMessage: (listener) => child.on("message", (message) => listener(message as FromServer)),
      onEnd: (listener) => {
        child.once("error", listener);
        child.once("exit", (code, signal) =>
          listener(
            new Error(
              `The database process ended with ${signal === null ? `code ${code}` : `signal ${signal}`}`,
            ),
          ),
        );
      },
      requestClose: () => void child.send("close"),
      terminate: () => void child.kill("SIGKILL"),
    },
    onProgress,
  );
}
