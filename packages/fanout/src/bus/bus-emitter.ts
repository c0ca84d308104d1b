import { MessageType } from "socket.io-adapter";
import type { Emitter } from "../emitter.ts";
import type { FanoutBus } from "./bus.ts";
import { Publisher } from "./publisher.ts";
import type { Header } from "./wire.ts";
import { checkedPrefix, Subjects } from "./subjects.ts";

export interface BusEmitterOptions {
  /** First words of all subjects; the servers' must be the same. Default "fanfare". */
  prefix?: string;
  /** Default "/". */
  namespace?: string;
  /** Called for each publication with the number of its copies (one per subject) and their size in bytes. */
  onPublished?: (copies: number, bytes: number) => void;
  /** As that of the adapter. */
  traceOf?: (() => string | undefined) | undefined;
}

/** Whom Socket.IO's servers take a message from that is no server. */
const NO_SERVER = "emitter";

/**
 * Publishes to the sockets of all servers on `bus` that use this package's adapter, from a process without sockets. What
 * one emitter does arrives everywhere in the order in which it did it.
 */
export class BusEmitter implements Emitter {
  readonly #publisher: Publisher;
  readonly #namespace: string;

  /** @throws RangeError for an option out of range. */
  constructor(
    bus: FanoutBus,
    { prefix = "fanfare", namespace = "/", onPublished, traceOf }: BusEmitterOptions = {},
  ) {
    const subjects = new Subjects(checkedPrefix(prefix), namespace);
    this.#namespace = namespace;
    this.#publisher = new Publisher({ bus, subjects, namespace, onPublished, traceOf });
  }

  /** @throws RangeError when the event is larger than the bus takes. */
  emit(rooms: string | readonly string[], event: string, payload: unknown, except?: readonly string[]): void {
    if (rooms.length === 0) return;
    this.#publisher.event(headerOf(rooms, except), [event, payload]);
  }

  socketsJoin(room: string | readonly string[], rooms: readonly string[], except?: readonly string[]): void {
    if (room.length > 0) this.#publisher.join(headerOf(room, except), rooms);
  }

  socketsLeave(room: string | readonly string[], rooms: readonly string[], except?: readonly string[]): void {
    if (room.length > 0) this.#publisher.leave(headerOf(room, except), rooms);
  }

  disconnectSockets(room: string): void {
    this.#publisher.disconnect({ rooms: [room] }, true);
  }

  /** All servers tell all their sockets of the namespace to fetch the state anew. */
  publishResync(): void {
    this.#publisher.resync();
  }

  /** What `namespace.serverSideEmit` is on a server: an event that the servers' namespaces emit. */
  serverSideEmit(event: string, ...args: unknown[]): void {
    const packet = [event, ...args];
    this.#publisher.cluster({
      uid: NO_SERVER,
      nsp: this.#namespace,
      type: MessageType.SERVER_SIDE_EMIT,
      data: { packet },
    });
  }

  /** Lets go of the bus, which stays open. */
  close(): void {
    this.#publisher.close();
  }
}

function headerOf(rooms: string | readonly string[], except: readonly string[] = []): Header {
  const header = { rooms: typeof rooms === "string" ? [rooms] : rooms };
  return except.length === 0 ? header : { ...header, except };
}
