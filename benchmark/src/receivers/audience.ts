import { setTimeout as sleep } from "node:timers/promises";
import { connectError } from "../cli/exit.ts";
import { abortable, nowMs } from "../kernels/broadcast/clock.ts";
import type { ThreadLoad } from "../kernels/broadcast/resource-use.ts";
import type { Progress } from "../report/progress.ts";
import type { Dialect } from "../targets/plugin.ts";
import { loadDialect, type DialectRef } from "../targets/plugins.ts";
import type { DeliveryTally } from "./delivery-tally.ts";
import { officialReceivers } from "./official-receiver.ts";
import { allocateConnections, Count, ReceiverGroup, type ConnectionMemory } from "./receiver-group.ts";
import type { Assignment, ReceiverKind } from "./receiver.ts";
import { addressOf, SourceAddresses } from "./source-addresses.ts";
import type { Tally } from "./tally.ts";
import { Thread } from "./thread.ts";
import type { Counted, ReceiverOrders, WorkerSetup } from "./worker.ts";

export interface AudienceOptions<T extends Tally | DeliveryTally> {
  /** Default: light. */
  kind?: ReceiverKind;
  /** The receivers spread over them. */
  urls: readonly string[];
  dialect: DialectRef;
  runId: string;
  /** For all receivers: the last `probes` of them are official clients in this thread. */
  tally: T;
  probes?: number;
  /** Receivers keep this channel exact: they reconnect, to another server, and fetch what they missed. */
  exactChannel?: string;
  threads: number;
  /** They are processes instead, for more members than one process has file descriptors. */
  areProcesses?: boolean;
  /** Concurrent connection attempts. */
  connecting: number;
  connectTimeoutMs?: number;
  napMs: number;
}

const DEFAULTS = {
  kind: "light" as ReceiverKind,
  probes: 0,
  areProcesses: false,
  connectTimeoutMs: 15_000,
};
/** Closing many connections takes time, but must end. */
const CLOSE_TIMEOUT_MS = 60_000;

/** What members need to connect to these servers. */
export async function placesOf<Dialect>(
  target: { urls: readonly string[]; dialect: Dialect },
  runId: string,
) {
  const { urls, dialect } = target;
  return { urls, addresses: await Promise.all(urls.map(addressOf)), dialect, runId };
}

/** All receiving members: threads of light or official receivers, and some official ones as probes. */
export class Audience<T extends Tally | DeliveryTally = Tally> {
  readonly tally: T;
  readonly connections: ConnectionMemory;
  readonly #options: AudienceOptions<T> & typeof DEFAULTS;
  readonly #threads: Thread<ReceiverOrders, Counted | null>[];
  /** What each process has counted so far. */
  readonly #counted: Counted[] = [];
  readonly #probes: ReceiverGroup;
  readonly #addresses: SourceAddresses;
  readonly #errors: Readonly<Record<string, number>>[] = [];
  #onComplete: () => void = () => {};

  private constructor(options: AudienceOptions<T>, dialect: Dialect, addresses: readonly string[]) {
    this.#options = { ...DEFAULTS, ...options };
    this.#addresses = sourceAddresses(addresses[0]!);
    this.tally = options.tally;
    this.connections = allocateConnections(this.tally.memory.receivers);
    this.#threads = Array.from({ length: options.threads }, (_, t) => this.#startThread(t, addresses));
    this.#probes = new ReceiverGroup({
      open: officialReceivers({
        urls: options.urls.map((url) => new URL(url)),
        dialect,
        runId: options.runId,
      }),
      tally: this.tally,
      connections: this.connections,
      window: 8,
      timeoutMs: this.#options.connectTimeoutMs,
      onComplete: () => this.#onComplete(),
    });
  }

  static async start<T extends Tally | DeliveryTally>(options: AudienceOptions<T>): Promise<Audience<T>> {
    const dialect = await loadDialect(options.dialect);
    return new Audience(options, dialect, await Promise.all(options.urls.map(addressOf)));
  }

  get online(): number {
    return Atomics.load(this.connections.counts, Count.online);
  }

  get gaveUp(): number {
    return Atomics.load(this.connections.counts, Count.gaveUp);
  }

  get dropped(): number {
    return Atomics.load(this.connections.counts, Count.dropped);
  }

  get resyncs(): number {
    return Atomics.load(this.connections.counts, Count.resyncs);
  }

  /** How many have lost their connection and have not yet reconnected and caught up. */
  get away(): number {
    return Atomics.load(this.connections.counts, Count.away);
  }

  /** Errors by code, including failed attempts. */
  get errors(): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const errors of [...this.#errors, this.#probes.errors]) {
      for (const [code, count] of Object.entries(errors)) sum[code] = (sum[code] ?? 0) + count;
    }
    return sum;
  }

  /** Resolves when all are online or given up. */
  async connect(credentials: readonly (string | null)[]): Promise<void> {
    const addresses = this.#addresses.take(credentials.length);
    const servers = this.#options.urls.length;
    const assignments = credentials.map((credential, receiver): Assignment => {
      return { receiver, credential, localAddress: addresses[receiver], server: receiver % servers };
    });
    const probes = assignments.splice(assignments.length - this.#options.probes);
    await Promise.all([
      this.#probes.connect(probes),
      ...this.#threads.map(async (thread, t) => {
        const [first, end] = this.#blockOf(t, assignments.length);
        const own = assignments.slice(first, end);
        // Processes number their own from 0.
        const numbered = own.map((one) => ({ ...one, receiver: one.receiver - first }));
        this.#errors[t] = await thread.ask("connect", this.#options.areProcesses ? numbered : own);
      }),
    ]);
  }

  /**
   * Connects everyone.
   * @throws {ExitError} if someone could not be connected
   */
  async connectAll(
    credentials: readonly (string | null)[],
    { progress, signal }: { progress: Progress; signal: AbortSignal },
  ): Promise<void> {
    const all = credentials.length;
    const connect = () => abortable(this.connect(credentials), signal);
    await progress.during("connecting", all, () => this.online, connect);
    if (this.gaveUp === 0) return;
    const reasons = Object.entries(this.errors).map(([code, count]) => `${code} (${count})`);
    throw connectError(
      `${this.gaveUp} of ${all} connections to ${this.#options.urls.join(", ")} failed: ${reasons.join(", ")}.`,
    );
  }

  /**
   * Resolves when everyone still online has all of these messages, when they can't arrive anymore, or on
   * timeout. The tally has what arrived.
   */
  async waitFor(
    messages: readonly number[],
    timeoutMs: number,
    signal: AbortSignal,
    isHopeless: () => boolean,
  ): Promise<void> {
    const { received } = this.tally.memory;
    const isDone = () => {
      const wanted = this.online - this.dropped;
      return messages.every((message) => Atomics.load(received, message) >= wanted);
    };
    const deadline = nowMs() + timeoutMs;
    while (!isDone() && !isHopeless() && nowMs() < deadline) {
      signal.throwIfAborted();
      this.assertAlive();
      await this.#nextCompletion(Math.max(0, Math.min(100, deadline - nowMs())));
    }
  }

  /** The first credentials can have expired when connections are reopened. */
  renew(credentials: readonly (string | null)[]): void {
    for (const thread of this.#threads) thread.tell("renew", credentials);
  }

  measure(on: boolean): void {
    for (const thread of this.#threads) thread.tell("measure", on);
  }

  /** One sample per receiving thread. */
  sampleLoads(): Promise<ThreadLoad[]> {
    return Promise.all(this.#threads.map((thread) => thread.ask("sample")));
  }

  /**
   * What a thread or process had received is lost with it, and must not be blamed on the server.
   * @throws {Error} if one has ended
   */
  assertAlive(): void {
    for (const { crash } of this.#threads) if (crash) throw crash;
  }

  async close(): Promise<void> {
    await Promise.all([this.#probes.close(), ...this.#threads.map((thread, t) => this.#close(thread, t))]);
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  async #close(thread: Thread<ReceiverOrders, Counted | null>, t: number): Promise<void> {
    const timeout = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
    const closed = await Promise.race([thread.ask("close").catch(() => undefined), timeout]);
    if (!closed) {
      thread.crash ??= connectError("A receiving process of the tester did not report what it received.");
      return;
    }
    const { errors, own } = closed;
    this.#errors[t] = errors;
    if (!own) return;
    const [first] = this.#blockOf(t, this.tally.memory.receivers);
    (this.tally as Tally).add(own.tally, first);
    this.connections.onlineMs.set(own.onlineMs, first);
  }

  /** The receivers of a thread, from the first up to the next thread's: in blocks, so that each has some on all servers. */
  #blockOf(t: number, receivers: number): [first: number, end: number] {
    const startOf = (thread: number) => Math.ceil((thread * receivers) / this.#options.threads);
    return [startOf(t), startOf(t + 1)];
  }

  #startThread(t: number, addresses: readonly string[]): Thread<ReceiverOrders, Counted | null> {
    const { tally, connecting, threads, areProcesses, ...options } = this.#options;
    const { receivers, messages } = tally.memory;
    const [first, end] = this.#blockOf(t, receivers);
    const setup: WorkerSetup = {
      ...options,
      addresses,
      connecting: Math.max(1, Math.round(connecting / threads)),
      memory: areProcesses
        ? { receivers: end - first, messages, epochMs: (tally as Tally).memory.epochMs }
        : { tally: tally.memory, connections: this.connections },
    };
    const onEvent = (counted: Counted | null) => {
      if (counted) this.#add(t, counted);
      this.#onComplete();
    };
    return new Thread(new URL("./worker.ts", import.meta.url), setup, onEvent, areProcesses);
  }

  #add(t: number, now: Counted): void {
    const before = this.#counted[t];
    for (const [i, count] of now.counts.entries())
      this.connections.counts[i]! += count - (before?.counts[i] ?? 0);
    const { received } = this.tally.memory;
    for (const [i, count] of now.received.entries()) received[i]! += count - (before?.received[i] ?? 0);
    this.#counted[t] = now;
  }

  #nextCompletion(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onComplete = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const addressPools = new Map<string, SourceAddresses>();

/** One pool per server address for the whole process: the next audience uses other addresses. */
export function sourceAddresses(serverAddress: string): SourceAddresses {
  let pool = addressPools.get(serverAddress);
  if (!pool) addressPools.set(serverAddress, (pool = new SourceAddresses(serverAddress)));
  return pool;
}
