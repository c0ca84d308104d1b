import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "@fanfare/testing";

const MAIN = fileURLToPath(new URL("../../../packages/embedded-mongo/src/main.ts", import.meta.url));

/** Runs the embedded database in a separate process that can be killed and frozen. */
export class DatabaseProcess {
  readonly #dir: string;
  #child: ChildProcess | null = null;
  #port: number | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reuses the port of the previous start. */
  async start(): Promise<void> {
    this.#port ??= await freePort();
    const args = [MAIN, "--dir", this.#dir, "--port", `${this.#port}`];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith("ready ")) return;
    }
    throw new Error("The database did not start.");
  }

  get url(): string {
    return `mongodb://127.0.0.1:${this.#port}/fanfare`;
  }

  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    if (this.#child === null || this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
    this.#child = null;
  }
}
