import { createHash } from "node:crypto";

/** What may have been lost during an interruption. Messages in flight to this process always count as lost. */
export interface Interruption {
  /** Whether messages published by this process may have been lost too. */
  readonly publishedLost: boolean;
}

/**
 * Transports messages between the processes or threads of an instance; see {@link natsBus} and {@link threadBus}. Implementations
 * must deliver the messages of a publisher in order, across all subjects, to every subscribed process including the publisher.
 */
export interface Bus {
  /** Maximum size of a message in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Never waits, and never throws if the bus is unavailable: the message is then buffered, or dropped, which `onInterrupted` reports
   * after reconnecting. Messages must not exceed `maxMessageBytes`.
   */
  publish(subject: string, message: Uint8Array): void;
  /** @returns a function that ends the subscription; the listener is not called afterwards. */
  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void;
  /** Whether a message on the subject reaches anyone now. Absent: unknown. */
  hears?(subject: string): boolean;
  /** Resolves when all earlier subscriptions are active, or when the bus is interrupted. Never rejects. */
  flush(): Promise<void>;
  /**
   * Calls `listener` whenever messages may have been lost, once the bus works again and all subscriptions are active.
   * @returns a function that removes the listener.
   */
  onInterrupted(listener: (interruption: Interruption) => void): () => void;
}

/** Characters that are allowed in a NATS subject token and have no special meaning. */
const PLAIN = /^[\w:@/-]{1,128}$/;
/** Base64 of a longer name would approach nats-server's maximum line length (4,096 bytes). */
const MAX_ENCODED_BYTES = 512;
/** Socket.IO's socket ids: 15 random bytes as base64url. */
const SOCKET_ID = /^[\w-]{20}$/;

/** Encodes a name as one token of a subject, without collisions. Names of plain characters stay as they are. */
export function encodeToken(name: string): string {
  if (PLAIN.test(name)) return name;
  const bytes = Buffer.from(name, "utf8");
  if (bytes.length <= MAX_ENCODED_BYTES) return `=${bytes.toString("base64url")}`;
  return `+${createHash("sha256").update(bytes).digest("base64url")}`;
}

/** The subjects of a namespace. Publishers and servers must have the same prefix and namespace. */
export class Subjects {
  /** Messages for all sockets of the namespace, or for a socket by its id. */
  readonly all: string;
  /** Messages for every server, even without sockets: resync. */
  readonly servers: string;
  readonly #base: string;

  constructor(prefix: string, namespace: string) {
    this.#base = namespace === "/" ? prefix : `${prefix}.nsp.${encodeToken(namespace)}`;
    this.all = `${this.#base}.all`;
    this.servers = `${this.#base}.servers`;
  }

  /**
   * Every socket is in a room named by its id; subscriptions to these would double their number, so they share `all`. A room whose name
   * looks like a socket id still works, but its messages are sent to all servers.
   */
  room(room: string): string {
    return SOCKET_ID.test(room) ? this.all : `${this.#base}.room.${encodeToken(room)}`;
  }
}

/** @throws RangeError if the prefix is not valid in a subject. */
export function checkedPrefix(prefix: string): string {
  if (/^[\w-]+(\.[\w-]+)*$/.test(prefix)) return prefix;
  throw new RangeError(`prefix must be words of letters, digits, "_" or "-" joined by ".", got "${prefix}".`);
}
