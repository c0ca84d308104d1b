import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess, type ServerProgram } from "./server-process.ts";
import { requireCheckout } from "../cli/program.ts";
import { buildServer } from "../../../scripts/build.ts";

/**
 * The folder and the processes of a throwaway platform, removed when it is closed or the tester exits in any
 * way.
 */
export class Workplace {
  readonly folder: string;
  readonly #processes: ServerProcess[] = [];
  readonly #removeAtOnce = () => {
    for (const process of this.#processes) process.killNow();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  };

  private constructor(folder: string) {
    this.folder = folder;
    process.on("exit", this.#removeAtOnce);
  }

  /** @throws {ExitError} in the package, which has no platform */
  static async open(): Promise<Workplace> {
    requireCheckout("Starting the server");
    await buildServer();
    return new Workplace(await mkdtemp(join(tmpdir(), "fanfare-tester-")));
  }

  /** The caller starts it. */
  add(program: ServerProgram): ServerProcess {
    const process = new ServerProcess(program);
    this.#processes.push(process);
    return process;
  }

  /** All that are running. */
  get processes(): { name: string; pid: number }[] {
    return this.#processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }]));
  }

  /** Stops the processes, last added first, and removes the folder. Safe to call twice. */
  async close(): Promise<void> {
    for (const process of this.#processes.toReversed()) await process.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    process.off("exit", this.#removeAtOnce);
  }
}
