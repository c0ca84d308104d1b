import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connectError } from "../../cli/exit.ts";
import type { ServerUsage } from "../target.ts";
import type { FromBareServer, ToBareServer } from "./messages.ts";

const USAGE_TIMEOUT_MS = 5000;

/** A bare server in its own process, which exits when this process does in any way. */
export class BareProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /**
   * @param processes how many processes share the port
   * @param cores the processors they run on, as in `taskset --cpu-list`; default: all
   */
  static async start(
    file: URL,
    { processes = 1, cores }: { processes?: number; cores?: string } = {},
  ): Promise<BareProcess> {
    const pinning =
      cores === undefined ? {} : { execPath: "taskset", execArgv: ["--cpu-list", cores, process.execPath] };
    const child = fork(fileURLToPath(file), [String(processes)], {
      ...pinning,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const exited = once(child, "exit").then(([code]) => {
      throw connectError(`The bare server ${file.href} did not start (exit code ${Number(code)}).`);
    });
    const [first] = (await Promise.race([once(child, "message"), exited])) as [FromBareServer];
    exited.catch(() => {});
    if (first.type !== "listening")
      throw connectError(`The bare server ${file.href} did not report its port.`);
    return new BareProcess(child, first.port);
  }

  /** null if it doesn't answer in time. */
  async usage(restartLoopDelay: boolean): Promise<ServerUsage | null> {
    if (!this.#child.connected) return null;
    const signal = AbortSignal.timeout(USAGE_TIMEOUT_MS);
    try {
      const answer = once(this.#child, "message", { signal });
      this.#child.send({ type: "usage", restartLoopDelay } satisfies ToBareServer);
      const [message] = (await answer) as [FromBareServer];
      return message.type === "usage" ? message.usage : null;
    } catch {
      return null;
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
