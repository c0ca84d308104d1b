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
import type { ReceiverOrders, WorkerSetup } from "./worker.ts";

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
  /** Index of the first loopback address to connect from; default: the next one of this process. */
  firstAddress?: number;
  threads: number;
  /** Concurrent connection attempts. */
  connecting: number;
  connectTimeoutMs?: number;
  napMs: number;
}

const DEFAULTS = { kind: "light" as ReceiverKind, probes: 0, connectTimeoutMs: 15_000 };

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
  readonly #threads: Thread<ReceiverOrders, "complete">[];
  readonly #probes: ReceiverGroup;
  readonly #addresses: SourceAddresses;
  readonly #errors: Readonly<Record<string, number>>[] = [];
  #onComplete: () => void = () => {};

  private constructor(options: AudienceOptions<T>, dialect: Dialect, addresses: readonly string[]) {
    this.#options = { ...DEFAULTS, ...options };
    this.#addresses = sourceAddresses(addresses[0]!, options.firstAddress);
    this.tally = options.tally;
    this.connections = allocateConnections(this.tally.memory.receivers);
    this.#threads = Array.from({ length: options.threads }, () => this.#startThread(addresses));
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
        // In blocks, so that each thread has receivers on all servers.
        const isOwn = (i: number) => Math.floor((i * this.#threads.length) / assignments.length) === t;
        const own = assignments.filter((_, i) => isOwn(i));
        this.#errors[t] = await thread.ask("connect", own);
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
      const crash = this.#crash;
      if (crash) throw crash;
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

  async close(): Promise<void> {
    if (!this.#crash) {
      await Promise.all([
        this.#probes.close(),
        ...this.#threads.map(async (thread, t) => (this.#errors[t] = await thread.ask("close"))),
      ]);
    }
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  get #crash(): Error | undefined {
    return this.#threads.find(({ crash }) => crash)?.crash;
  }

  #startThread(addresses: readonly string[]): Thread<ReceiverOrders, "complete"> {
    const { tally, connecting, threads, ...options } = this.#options;
    const setup: WorkerSetup = {
      ...options,
      addresses,
      tally: tally.memory,
      connections: this.connections,
      connecting: Math.max(1, Math.round(connecting / threads)),
    };
    return new Thread(new URL("./worker.ts", import.meta.url), setup, () => this.#onComplete());
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
export function sourceAddresses(serverAddress: string, first = 0): SourceAddresses {
  let pool = addressPools.get(serverAddress);
  if (!pool)
    addressPools.set(serverAddress, (pool = new SourceAddresses(serverAddress, process.platform, first)));
  return pool;
}
