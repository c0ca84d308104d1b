import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ServerToClientEvents } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import {
  CLOSE_TIMEOUT_MS,
  MAX_PACKETS_PER_SECOND,
  PACKETS_PER_CONTROL_FRAME,
  REJECTION_HEADROOM,
} from "./constants.ts";
import { clientAddress, type TrustedProxies } from "./identify.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

export type GatewaySocket = Socket<
  DefaultEventsMap,
  ServerToClientEvents,
  DefaultEventsMap,
  ConnectionRecord
>;
export type SocketServer = Server<DefaultEventsMap, ServerToClientEvents, DefaultEventsMap, ConnectionRecord>;

/** The transport connection of a socket. */
type Connection = Socket["conn"];

/** State of one connection: a single small object, because there are tens of thousands. */
export interface ConnectionRecord {
  readonly address: string;
  /** Whether it counts as connected; otherwise it is only accepted to send the error about too many connections. */
  isCounted: boolean;
  /** null until it is logged in. */
  actor: Actor | null;
  callsInFlight: number;
  /** Set while writes to the connection are held back, to be sent together. */
  held: Duplex | null;
  /** Packets received since `countedSinceMs`. */
  packets: number;
  countedSinceMs: number;
}

export interface ConnectionRegistryOptions {
  /** Shared with the other threads. */
  limit: ConnectionLimit;
  trustProxy: TrustedProxies;
  /** Multiplies the allowed packets per second when it is above 1. */
  rateLimitFactor: number;
  onFlood(): void;
}

const RECORD = Symbol("connection record");
type WithRecord = Connection & { [RECORD]?: ConnectionRecord };
/** The part of the `ws` package's WebSocket that is used here. */
interface TrackedWebSocket {
  [RECORD]?: ConnectionRecord;
  on(event: "ping" | "pong", listener: (this: TrackedWebSocket) => void): unknown;
  readonly readyState: number;
  readonly CLOSED: number;
  terminate(): void;
}

/** Limits the connections and the packets received on each. */
export class ConnectionRegistry {
  readonly #options: ConnectionRegistryOptions;
  readonly #maxPackets: number;
  /** Number of connections that don't count. */
  #uncounted = 0;

  constructor(options: ConnectionRegistryOptions) {
    this.#options = options;
    this.#maxPackets = MAX_PACKETS_PER_SECOND * Math.max(1, options.rateLimitFactor);
  }

  /** Whether not even a connection to send the error about too many can be accepted. */
  isFull(request: IncomingMessage): boolean {
    if (this.#uncounted < REJECTION_HEADROOM) return false;
    return !this.#options.limit.hasRoom(clientAddress(request, this.#options.trustProxy));
  }

  /** Whether this connection exceeds the limit. */
  exceedsLimit(connection: Connection): boolean {
    const record = this.of(connection);
    if (record.isCounted || connection.readyState !== "open") return !record.isCounted;
    record.isCounted = this.#options.limit.take(record.address);
    if (record.isCounted) this.#uncounted -= 1;
    return !record.isCounted;
  }

  accept(connection: Connection): void {
    const address = clientAddress(connection.request, this.#options.trustProxy);
    const record: ConnectionRecord = {
      address,
      isCounted: this.#options.limit.take(address),
      actor: null,
      callsInFlight: 0,
      held: null,
      packets: 0,
      countedSinceMs: 0,
    };
    (connection as WithRecord)[RECORD] = record;
    if (!record.isCounted) this.#uncounted += 1;
    connection.on("packet", this.#onPacket);
    const webSocket = webSocketOf(connection);
    if (webSocket !== undefined) {
      webSocket[RECORD] = record;
      webSocket.on("ping", this.#onControlFrame);
      webSocket.on("pong", this.#onControlFrame);
    }
    connection.on("close", this.#onClose);
  }

  of(connection: Connection): ConnectionRecord {
    const record = (connection as WithRecord)[RECORD];
    if (record === undefined) throw new Error("This connection was not accepted.");
    return record;
  }

  // One shared function for all connections, called with the connection as `this`.
  readonly #onPacket = withThis((connection: Connection) => {
    if (this.#isFlood(this.of(connection), 1)) connection.close(true);
  });

  // Shared, too. `ws` responds to pings before it emits them.
  readonly #onControlFrame = withThis((webSocket: TrackedWebSocket) => {
    const record = webSocket[RECORD];
    if (record !== undefined && this.#isFlood(record, PACKETS_PER_CONTROL_FRAME)) webSocket.terminate();
  });

  #isFlood(record: ConnectionRecord, packets: number): boolean {
    const nowMs = Date.now();
    if (nowMs - record.countedSinceMs >= 1000) {
      record.countedSinceMs = nowMs;
      record.packets = 0;
    }
    record.packets += packets;
    if (record.packets <= this.#maxPackets) return false;
    this.#options.onFlood();
    return true;
  }

  readonly #onClose = withThis((connection: Connection) => {
    const record = this.of(connection);
    release(record);
    if (record.isCounted) this.#options.limit.release(record.address);
    else this.#uncounted -= 1;
    // The `ws` package waits 30 s for the client's close frame and keeps reading meanwhile.
    const webSocket = webSocketOf(connection);
    if (webSocket !== undefined && webSocket.readyState !== webSocket.CLOSED)
      setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref();
  });
}

function webSocketOf(connection: Connection): TrackedWebSocket | undefined {
  return (connection.transport as { socket?: TrackedWebSocket }).socket;
}

function withThis<T>(handle: (emitter: T) => void): (this: T) => void {
  return function onEvent() {
    handle(this);
  };
}

/** Holds back writes to a connection until `release`, which must follow soon; closing the connection also releases it. */
export function hold(record: ConnectionRecord, connection: Connection): void {
  // Not available on a connection that logs in for the second time.
  record.held = connection.request?.socket ?? null;
  record.held?.cork();
}

export function release(record: ConnectionRecord): void {
  record.held?.uncork();
  record.held = null;
}
