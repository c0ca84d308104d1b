import { hash, randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { DEFAULT_MAX_CONNECTIONS, type Config } from "@fanfare/kernel";
import { HTTP_CONNECTIONS, HTTP_CONNECTIONS_PER_ADDRESS } from "./constants.ts";

interface ConnectionLimits {
  max: number;
  maxPerAddress: number;
}

// Memory layout in units of 32 bits: the header, then the slots of a hash table with linear probing.
const LOCK = 0;
const TOTAL = 1;
const SALT = 2;
const SALT_LENGTH = 4;
const HEADER = SALT + SALT_LENGTH;
/** 64 bits of the hash of the address, and its number of connections; 0: a free slot. */
const SLOT = 3;

/**
 * Limits connections in total and per address. Counted in memory shared by the threads of a process, so the limits are exact, and
 * counting takes about a microsecond without messages between threads.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #memory: Int32Array<SharedArrayBuffer>;
  readonly #salt: Buffer;
  readonly #slots: number;

  /** Allocates memory for one limit. Each thread creates its `ConnectionLimit` on it, with the same limits. */
  static memory({ max }: Pick<ConnectionLimits, "max">): SharedArrayBuffer {
    // At most half full, so that a free slot is always near.
    const slots = 2 ** Math.ceil(Math.log2(2 * max + 1));
    const memory = new Int32Array(new SharedArrayBuffer((HEADER + slots * SLOT) * 4));
    // The key is random, so that clients can't choose addresses that collide.
    memory.set(randomFillSync(new Int32Array(SALT_LENGTH)), SALT);
    return memory.buffer;
  }

  constructor(memory: SharedArrayBuffer, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#memory = new Int32Array(memory);
    this.#salt = Buffer.from(memory, SALT * 4, SALT_LENGTH * 4);
    this.#slots = (this.#memory.length - HEADER) / SLOT;
  }

  /** Whether `take` would succeed. */
  hasRoom(address: string): boolean {
    return this.#locked(address, (at) => this.#isBelowLimits(at));
  }

  /** Counts a connection unless that would exceed a limit. @returns whether it is counted and must be released */
  take(address: string): boolean {
    return this.#locked(address, (at, high, low) => {
      if (!this.#isBelowLimits(at)) return false;
      const memory = this.#memory;
      memory[TOTAL]! += 1;
      memory[at] = high;
      memory[at + 1] = low;
      memory[at + 2]! += 1;
      return true;
    });
  }

  release(address: string): void {
    this.#locked(address, (at) => {
      this.#memory[TOTAL]! -= 1;
      this.#memory[at + 2]! -= 1;
      if (this.#memory[at + 2] === 0) this.#closeGap(at);
    });
  }

  #isBelowLimits(at: number): boolean {
    return this.#memory[TOTAL]! < this.#limits.max && this.#memory[at + 2]! < this.#limits.maxPerAddress;
  }

  /** @param act receives the index of the address's slot, or of the free slot where it belongs */
  #locked<T>(address: string, act: (at: number, high: number, low: number) => T): T {
    const digest = hash("sha1", Buffer.concat([this.#salt, Buffer.from(address)]), "buffer");
    const [high, low] = [digest.readInt32LE(0), digest.readInt32LE(4)];
    const memory = this.#memory;
    // Held by another thread for less than a microsecond, unless that thread is preempted.
    while (Atomics.compareExchange(memory, LOCK, 0, 1) !== 0) Atomics.wait(memory, LOCK, 1, 1);
    try {
      let slot = this.#homeOf(low);
      while (this.#countAt(slot) > 0 && !this.#isAt(slot, high, low)) slot = this.#after(slot);
      return act(placeOf(slot), high, low);
    } finally {
      Atomics.store(memory, LOCK, 0);
      Atomics.notify(memory, LOCK, 1);
    }
  }

  /** A search ends at a free slot, so following entries are moved up if their own search would pass the gap. */
  #closeGap(at: number): void {
    let gap = (at - HEADER) / SLOT;
    for (let slot = this.#after(gap); this.#countAt(slot) > 0; slot = this.#after(slot)) {
      const home = this.#homeOf(this.#memory[placeOf(slot) + 1]!);
      if (this.#distance(home, slot) < this.#distance(gap, slot)) continue;
      this.#memory.copyWithin(placeOf(gap), placeOf(slot), placeOf(slot) + SLOT);
      this.#memory[placeOf(slot) + 2] = 0;
      gap = slot;
    }
  }

  #homeOf(low: number): number {
    return low & (this.#slots - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots - 1);
  }

  #distance(from: number, to: number): number {
    return (to - from) & (this.#slots - 1);
  }

  #countAt(slot: number): number {
    return this.#memory[placeOf(slot) + 2]!;
  }

  #isAt(slot: number, high: number, low: number): boolean {
    return this.#memory[placeOf(slot)] === high && this.#memory[placeOf(slot) + 1] === low;
  }
}

function placeOf(slot: number): number {
  return HEADER + slot * SLOT;
}

/** Minimum of file descriptors reserved for other uses than client connections: threads, database, NATS, Redis and files. */
const MIN_OTHER_FILES = 100;
/** Maximum of that; up to it, a share of all descriptors is added. */
const MAX_OTHER_FILES = 500;
const OTHER_FILES_SHARE = 1 / 8;
/** The share of connections for HTTP when there are too few. */
const HTTP_CONNECTIONS_SHARE = 1 / 8;
/** The minimum share of descriptors for connections. */
const MIN_CONNECTIONS_SHARE = 1 / 4;

/** How many connections all threads of this process accept together. */
interface ConnectionCapacity {
  sockets: ConnectionLimits;
  /** TCP connections: sockets and HTTP. */
  tcp: ConnectionLimits;
}

export function connectionCapacity(config: Config, openFiles = maxOpenFiles()): ConnectionCapacity {
  const { maxConnections, maxConnectionsPerAddress: maxPerAddress, trustProxy } = config;
  const others = Math.min(MAX_OTHER_FILES, MIN_OTHER_FILES + openFiles * OTHER_FILES_SHARE);
  const usable = Math.floor(Math.max(openFiles - others, openFiles * MIN_CONNECTIONS_SHARE));
  const http = Math.min(
    HTTP_CONNECTIONS,
    Math.max(Math.floor(usable * HTTP_CONNECTIONS_SHARE), usable - maxConnections),
  );
  const max = Math.min(maxConnections, usable - http);
  return {
    sockets: { max, maxPerAddress },
    tcp: {
      max: max + http,
      // Behind a proxy, all TCP connections have its address: only the proxy can limit those of a client.
      maxPerAddress: trustProxy === 0 ? maxPerAddress + HTTP_CONNECTIONS_PER_ADDRESS : Infinity,
    },
  };
}

interface CapacityNotice {
  level: "info" | "warn";
  text: string;
}

/** The log message when MAX_CONNECTIONS exceeds what the system allows; a warning only if the operator has set it. */
export function capacityNotice(config: Config, openFiles = maxOpenFiles()): CapacityNotice | null {
  const { max } = connectionCapacity(config, openFiles).sockets;
  const { maxConnections } = config;
  if (max === maxConnections) return null;
  const needed = maxConnections + HTTP_CONNECTIONS + MAX_OTHER_FILES;
  const text =
    `only ${max} connections of MAX_CONNECTIONS=${maxConnections} are accepted, because this process may open ${openFiles} files: ` +
    `raise the limit (ulimit -n ${needed}, LimitNOFILE=${needed} or ulimits.nofile), or set MAX_CONNECTIONS=${max}`;
  return { level: maxConnections === DEFAULT_MAX_CONNECTIONS ? "info" : "warn", text };
}

/** Memory shared by the threads of this process to count their connections. */
export interface ConnectionMemory {
  sockets: SharedArrayBuffer;
  tcp: SharedArrayBuffer;
}

export function connectionMemory({ sockets, tcp }: ConnectionCapacity): ConnectionMemory {
  return { sockets: ConnectionLimit.memory(sockets), tcp: ConnectionLimit.memory(tcp) };
}

/** `ulimit -n` of this process, which Node has raised to the hard limit; Infinity when unknown. */
function maxOpenFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
