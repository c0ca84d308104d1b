import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface ServerProcess {
  readonly uri: string;
  readonly process: ChildProcess;
  /** Kills it with SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/**
 * Starts src/main.ts. Rejects with its error output if it doesn't become ready.
 * @param through a command that runs the server, for example in a namespace
 * @param main the main.ts of another version
 */
export async function spawnServer(
  dir: string,
  { through = [], main = MAIN }: { through?: string[]; main?: string } = {},
  ...options: string[]
): Promise<ServerProcess> {
  const [command, ...rest] = [...through, process.execPath, main, "--dir", dir, ...options];
  const child = spawn(command!, rest, { stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += String(chunk)));
  const exited = once(child, "exit");
  const lines = readline.createInterface({ input: child.stdout });
  const ready = await Promise.race([once(lines, "line"), exited.then(() => undefined)]);
  const uri = /^ready (\S+)$/.exec(String(ready?.[0]))?.[1];
  if (uri === undefined) throw new Error(complaint.trim());
  return {
    uri,
    process: child,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}
