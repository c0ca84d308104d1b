import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { nowMs } from "../broadcast/clock.ts";
import { addressOf } from "../../receivers/audience.ts";
import { CONNECTIONS_PER_ADDRESS } from "../../receivers/source-addresses.ts";
import type { DialectName } from "../../targets/dialect.ts";
import type { CrowdReport, CrowdStatus, FromCrowd, ToCrowd } from "./crowd-messages.ts";

export interface CrowdOptions {
  /** The members spread over them. */
  urls: readonly string[];
  dialect: DialectName;
  runId: string;
  /** How many messages will be sent. */
  messages: number;
  /** Number of processes that the members spread over. */
  processes: number;
  /** Concurrent connection attempts of all processes together. */
  window: number;
  connectTimeoutMs: number;
  napMs: number;
}

const PROGRAM = fileURLToPath(new URL("./crowd-process.ts", import.meta.url));
const NONE: CrowdStatus = { online: 0, gaveUp: 0, dropped: 0, resyncs: 0, received: [] };
/** Closing many connections takes time, but must end. */
const CLOSE_TIMEOUT_MS = 15_000;
const REPORT_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

interface Part {
  child: ChildProcess;
  status: CrowdStatus;
}

/** Light receivers in several processes, for more members than one process has descriptors. */
export class Crowd {
  readonly #options: CrowdOptions;
  readonly #parts: Part[];
  #crash: Error | undefined;
  #isClosing = false;
  #onNews: () => void = () => {};

  constructor(options: CrowdOptions) {
    this.#options = options;
    this.#parts = Array.from({ length: options.processes }, () => this.#startPart());
  }

  get online(): number {
    return this.#sum((status) => status.online);
  }

  get gaveUp(): number {
    return this.#sum((status) => status.gaveUp);
  }

  get dropped(): number {
    return this.#sum((status) => status.dropped);
  }

  get resyncs(): number {
    return this.#sum((status) => status.resyncs);
  }

  received(message: number): number {
    return this.#sum((status) => status.received[message] ?? 0);
  }

  /**
   * Resolves when all members are online or given up.
   * @throws {Error} if a process exited or the signal aborted
   */
  async connect(credentials: readonly (string | null)[], signal: AbortSignal): Promise<void> {
    const { urls, processes, window, connectTimeoutMs, dialect, runId, messages, napMs } = this.#options;
    const addresses = await Promise.all(urls.map(addressOf));
    const size = Math.ceil(credentials.length / processes);
    const waiting = this.#parts.map(async (part, i) => {
      const setup = {
        urls,
        addresses,
        dialect,
        runId,
        credentials: credentials.slice(i * size, (i + 1) * size),
        messages,
        epochMs: nowMs() - 1,
        firstAddress: i * Math.ceil(size / CONNECTIONS_PER_ADDRESS),
        window: Math.max(1, Math.round(window / processes)),
        timeoutMs: connectTimeoutMs,
        napMs,
      };
      await this.#ask(part, { type: "connect", setup }, "connected", signal);
    });
    await Promise.all(waiting);
  }

  measure(on: boolean): void {
    for (const { child } of this.#parts) child.send({ type: "measure", on } satisfies ToCrowd);
  }

  /** Resolves when everyone online has the message, when it can't arrive anymore, or on timeout. */
  async waitFor(
    message: number,
    timeoutMs: number,
    signal: AbortSignal,
    isHopeless: () => boolean,
  ): Promise<void> {
    const deadline = nowMs() + timeoutMs;
    while (this.received(message) < this.online - this.dropped && !isHopeless() && nowMs() < deadline) {
      signal.throwIfAborted();
      if (this.#crash) throw this.#crash;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        this.#onNews = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  report(): Promise<CrowdReport[]> {
    const signal = AbortSignal.timeout(REPORT_TIMEOUT_MS);
    return Promise.all(
      this.#parts.map(async (part) => (await this.#ask(part, { type: "report" }, "report", signal)).report),
    );
  }

  /** Closes every connection and ends the processes. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    await Promise.all(
      this.#parts.map(async (part) => {
        if (part.child.exitCode !== null || part.child.signalCode !== null) return;
        await this.#ask(part, { type: "close" }, "closed", signal).catch(() => {});
        const exited = once(part.child, "exit");
        part.child.kill("SIGKILL");
        await exited;
      }),
    );
  }

  #sum(of: (status: CrowdStatus) => number): number {
    return this.#parts.reduce((sum, { status }) => sum + of(status), 0);
  }

  #startPart(): Part {
    const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
    const child = fork(PROGRAM, { stdio: [...stdio], serialization: "advanced" });
    const part: Part = { child, status: NONE };
    child.on("message", (message: FromCrowd) => {
      if (message.type !== "status") return;
      part.status = message;
      this.#onNews();
    });
    child.once("exit", (code, signal) => {
      if (!this.#isClosing)
        this.#crash = new Error(`A receiving process exited (${code ?? signal}). Its output is above.`);
      this.#onNews();
    });
    return part;
  }

  /** Sends a command and waits for its answer. */
  #ask<T extends FromCrowd["type"]>(
    { child }: Part,
    order: ToCrowd,
    answer: T,
    signal: AbortSignal,
  ): Promise<FromCrowd & { type: T }> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromCrowd) => {
        if (message.type === answer) settle(() => resolve(message as FromCrowd & { type: T }));
      };
      const onExit = () => settle(() => reject(this.#crash ?? new Error("A receiving process exited.")));
      const onAbort = () => settle(() => reject(signal.reason as Error));
      const settle = (then: () => void) => {
        child.off("message", onMessage).off("exit", onExit);
        signal.removeEventListener("abort", onAbort);
        then();
      };
      if (signal.aborted) return onAbort();
      child.on("message", onMessage).on("exit", onExit);
      signal.addEventListener("abort", onAbort, { once: true });
      child.send(order);
    });
  }
}
