import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DataFolderInUseError, DataFolderMismatchError } from "../errors.ts";
import type { EmbeddedMongoOptions } from "../options.ts";
import type { EmbeddedMongo } from "../start.ts";

const MAIN = fileURLToPath(new URL("./child-main.ts", import.meta.url));

export interface SupervisedMongo extends EmbeddedMongo {
  /** Registers a listener for the end of the server; `error` is undefined after `close()`. */
  onExit(listener: (error: Error | undefined) => void): void;
}

/**
 * Starts the server in a child process, with its own event loop, heap and thread pool. It exits when its owner dies, and ignores
 * Ctrl-C, so that the owner can call `close()` once the database is no longer needed.
 * `onFatal` is not available here; a failing server exits the process, which `onExit` reports.
 * @throws the errors of startEmbeddedMongo
 */
export async function startEmbeddedMongoProcess({
  onProgress = () => {},
  ...options
}: Omit<EmbeddedMongoOptions, "onFatal">): Promise<SupervisedMongo> {
  const child = fork(MAIN, { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.send(options);
  const listeners: ((error: Error | undefined) => void)[] = [];
  let closing = false;
  let end: { error: Error | undefined } | undefined;
  const gone = new Promise<Error>((resolve) => {
    const ended = (reason: Error) => {
      end = { error: closing ? undefined : reason };
      for (const listener of listeners) listener(end.error);
      resolve(reason);
    };
    child.once("error", ended);
    child.once("exit", (code, signal) => {
      const how = signal === null ? `code ${code}` : `signal ${signal}`;
      ended(new Error(`The database process ended with ${how}`));
    });
  });
  const uri = await new Promise<string>((resolve, reject) => {
    child.on("message", (message: FromServer) => {
      if (message.type === "progress") onProgress(message.message);
      else if (message.type === "ready") resolve(message.uri);
      else {
        reject(reviveFailure(message));
        child.kill("SIGKILL");
      }
    });
    void gone.then(reject);
  });
  return {
    uri,
    onExit: (listener) => {
      if (end) listener(end.error);
      else listeners.push(listener);
    },
    close: async () => {
      closing = true;
      if (!end) child.send("close");
      await gone;
    },
  };
}

/** Messages from a server in a child process to its owner: progress, then the outcome of the start. The owner sends "close". */
export type FromServer =
  | { type: "progress"; message: string }
  | { type: "ready"; uri: string }
  | { type: "failed"; name: string; message: string; dir?: string; pid?: number; uri?: string };

export function describeFailure(error: unknown): FromServer {
  const { name, message, dir, pid, uri } = error as Error & { dir?: string; pid?: number; uri?: string };
  return {
    type: "failed",
    name,
    message,
    ...(dir !== undefined && { dir }),
    ...(pid !== undefined && { pid }),
    ...(uri !== undefined && { uri }),
  };
}

/** Restores the server's error, with its original class if it is public. */
function reviveFailure({ name, message, dir, pid, uri }: Extract<FromServer, { type: "failed" }>): Error {
  if (name === "DataFolderInUseError") return new DataFolderInUseError(dir ?? "", pid, uri);
  if (name === "DataFolderMismatchError") return new DataFolderMismatchError(dir ?? "", message);
  const error = new Error(message);
  error.name = name;
  return error;
}
