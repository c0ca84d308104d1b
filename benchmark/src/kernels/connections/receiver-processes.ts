import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CONNECTIONS_PER_ADDRESS } from "../../receivers/source-addresses.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import { Asker } from "../../receivers/thread.ts";
import { connectError } from "../../cli/exit.ts";
import { abortable, nowMs, waitUntil } from "../broadcast/clock.ts";
import { sum } from "../broadcast/percentiles.ts";
import type { ProcessOrders, ProcessReport, ProcessSetup, ProcessStatus } from "./receiver-process.ts";

export interface ReceiverProcessesOptions extends Pick<
  ProcessSetup,
  "urls" | "dialect" | "runId" | "messages" | "connecting" | "connectTimeoutMs" | "napMs"
> {
  users: number;
  /** How many processes the members spread over. */
  processes: number;
}

const PROGRAM = fileURLToPath(new URL("./receiver-process.ts", import.meta.url));
/** Closing many connections takes time, but must end. */
const CLOSE_TIMEOUT_MS = 60_000;
const STATUS_MS = 50;

interface Part {
  child: ChildProcess;
  asker: Asker<ProcessOrders>;
  status: ProcessStatus;
}

/** Audiences in several processes, for more members than one process has descriptors. */
export class ReceiverProcesses {
  /** Of all members; filled by `close`. */
  readonly tally: Tally;
  readonly #options: ReceiverProcessesOptions;
  readonly #parts: Part[];
  #reports: ProcessReport[] = [];
  #crash: Error | undefined;
  #isClosing = false;

  constructor(options: ReceiverProcessesOptions) {
    this.#options = options;
    this.tally = new Tally(allocateTally(options.users, options.messages, nowMs() - 1));
    this.#parts = Array.from({ length: options.processes }, () => this.#startPart());
  }

  get online(): number {
    return this.#sum(({ online }) => online);
  }

  get gaveUp(): number {
    return this.#sum(({ gaveUp }) => gaveUp);
  }

  get dropped(): number {
    return this.#sum(({ dropped }) => dropped);
  }

  get resyncs(): number {
    return this.#sum(({ resyncs }) => resyncs);
  }

  /** What each process had to report when it was closed. */
  get reports(): readonly ProcessReport[] {
    return this.#reports;
  }

  /**
   * Resolves when all members are online or given up.
   * @throws {Error} if a process exited or the signal aborted
   */
  async connect(credentials: readonly (string | null)[], signal: AbortSignal): Promise<void> {
    const { users, processes, connecting, ...options } = this.#options;
    const size = Math.ceil(users / processes);
    const { epochMs } = this.tally.memory;
    const connected = this.#parts.map(({ asker }, i) =>
      asker.ask("connect", {
        ...options,
        credentials: credentials.slice(i * size, (i + 1) * size),
        epochMs,
        statusMs: STATUS_MS,
        // Processes don't share any.
        firstAddress: i * Math.ceil(size / CONNECTIONS_PER_ADDRESS),
        connecting: Math.max(1, Math.round(connecting / processes)),
      }),
    );
    await abortable(Promise.all(connected), signal);
  }

  /** Starts or ends the measurement. @returns the longest time that one of the processes stood still since the last call */
  async measure(on: boolean): Promise<number> {
    return Math.max(...(await Promise.all(this.#parts.map(({ asker }) => asker.ask("measure", on)))));
  }

  /** Resolves when everyone still online has the message, when it can't arrive anymore, or on timeout. */
  async waitFor(
    message: number,
    timeoutMs: number,
    signal: AbortSignal,
    isHopeless: () => boolean,
  ): Promise<void> {
    const isOver = () => {
      this.assertAlive();
      const received = this.#sum((status) => status.received[message] ?? 0);
      return received >= this.online - this.dropped || isHopeless();
    };
    await waitUntil(isOver, timeoutMs, signal);
  }

  /**
   * What a process had received is lost with it, and must not be blamed on the server.
   * @throws {ExitError} if one has ended
   */
  assertAlive(): void {
    if (this.#crash) throw this.#crash;
  }

  /** Closes every connection, ends the processes, and collects what they received. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const reports = await Promise.all(
      this.#parts.map(async ({ child, asker }) => {
        if (child.exitCode !== null || child.signalCode !== null) return undefined;
        const timeout = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
        const report = await Promise.race([asker.ask("close").catch(() => undefined), timeout]);
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
        return report;
      }),
    );
    this.#reports = reports.filter((report) => report !== undefined);
    if (this.#reports.length < reports.length)
      this.#crash ??= connectError("A receiving process of the tester did not report what it received.");
    let first = 0;
    for (const { tally } of this.#reports) {
      this.tally.add(tally, first);
      first += tally.receivers;
    }
  }

  #sum(of: (status: ProcessStatus) => number): number {
    return sum(this.#parts.map(({ status }) => of(status)));
  }

  #startPart(): Part {
    const child = fork(PROGRAM, {
      // Ctrl-C reaches the whole process group; this process decides when the receivers exit.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      serialization: "advanced",
    });
    const asker = new Asker<ProcessOrders>((question) => child.send(question));
    const status = { online: 0, gaveUp: 0, dropped: 0, resyncs: 0, received: [] };
    const part: Part = { child, asker, status };
    child.on("message", (message: Parameters<typeof asker.receive>[0] | { status: ProcessStatus }) => {
      if ("status" in message) part.status = message.status;
      else asker.receive(message);
    });
    child.once("exit", (code, signal) => {
      const crash = connectError(
        `A receiving process of the tester exited (${code ?? signal}), perhaps for lack of memory. Use more --processes or fewer --users.`,
      );
      if (!this.#isClosing) this.#crash = crash;
      asker.fail(crash);
    });
    return part;
  }
}
