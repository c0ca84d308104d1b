import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Actor } from "@fanfare/kernel";
import type { Socket } from "socket.io";
import {
  CLOSE_TIMEOUT_MS,
  MAX_PACKETS_PER_SECOND,
  PACKETS_PER_CONTROL_FRAME,
  REFUSAL_SLACK,
} from "./bounds.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

/** The transport connection of a socket. */
type Connection = Socket["conn"];

/** State of one connection: a single small object, because there are tens of thousands. */
export interface Visitor {
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

export interface VisitorsOptions {
  /** Shared with the other threads. */
  limit: ConnectionLimit;
  trustProxy: TrustedProxies;
  /** Multiplies the allowed packets per second when it is above 1. */
  rateLimitFactor: number;
  onFlood(): void;
}

const VISITOR = Symbol("visitor");
type Visited = Connection & { [VISITOR]?: Visitor };
/** The part of the `ws` package's WebSocket that is used here. */
interface VisitedWebSocket {
  [VISITOR]?: Visitor;
  on(event: "ping" | "pong", listener: (this: VisitedWebSocket) => void): unknown;
  readonly readyState: number;
  readonly CLOSED: number;
  terminate(): void;
}

/** Limits the connections and the packets received on each. */
export class Visitors {
  readonly #options: VisitorsOptions;
  readonly #maxPackets: number;
  /** Number of connections that don't count. */
  #uncounted = 0;

  constructor(options: VisitorsOptions) {
    this.#options = options;
    this.#maxPackets = MAX_PACKETS_PER_SECOND * Math.max(1, options.rateLimitFactor);
  }

  /** Whether not even a connection to send the error about too many can be accepted. */
  isFull(request: IncomingMessage): boolean {
    if (this.#uncounted < REFUSAL_SLACK) return false;
    return !this.#options.limit.hasRoom(clientAddress(request, this.#options.trustProxy));
  }

  /** Whether this connection exceeds the limit. */
  isOneTooMany(connection: Connection): boolean {
    const visitor = this.of(connection);
    if (visitor.isCounted || connection.readyState !== "open") return !visitor.isCounted;
    visitor.isCounted = this.#options.limit.take(visitor.address);
    if (visitor.isCounted) this.#uncounted -= 1;
    return !visitor.isCounted;
  }

  accept(connection: Connection): void {
    const address = clientAddress(connection.request, this.#options.trustProxy);
    const visitor: Visitor = {
      address,
      isCounted: this.#options.limit.take(address),
      actor: null,
      callsInFlight: 0,
      held: null,
      packets: 0,
      countedSinceMs: 0,
    };
    (connection as Visited)[VISITOR] = visitor;
    if (!visitor.isCounted) this.#uncounted += 1;
    connection.on("packet", this.#onPacket);
    const webSocket = webSocketOf(connection);
    if (webSocket !== undefined) {
      webSocket[VISITOR] = visitor;
      webSocket.on("ping", this.#onControlFrame);
      webSocket.on("pong", this.#onControlFrame);
    }
    connection.on("close", this.#onClose);
  }

  of(connection: Connection): Visitor {
    const visitor = (connection as Visited)[VISITOR];
    if (visitor === undefined) throw new Error("This connection was not accepted.");
    return visitor;
  }

  // One shared function for all connections, called with the connection as `this`.
  readonly #onPacket = withConnection((connection) => {
    if (this.#isFlood(this.of(connection), 1)) connection.close(true);
  });

  // Shared, too. `ws` responds to pings before it emits them.
  readonly #onControlFrame = withWebSocket((webSocket) => {
    const visitor = webSocket[VISITOR];
    if (visitor !== undefined && this.#isFlood(visitor, PACKETS_PER_CONTROL_FRAME)) webSocket.terminate();
  });

  #isFlood(visitor: Visitor, packets: number): boolean {
    const nowMs = Date.now();
    if (nowMs - visitor.countedSinceMs >= 1000) {
      visitor.countedSinceMs = nowMs;
      visitor.packets = 0;
    }
    visitor.packets += packets;
    if (visitor.packets <= this.#maxPackets) return false;
    this.#options.onFlood();
    return true;
  }

  readonly #onClose = withConnection((connection) => {
    const visitor = this.of(connection);
    release(visitor);
    if (visitor.isCounted) this.#options.limit.release(visitor.address);
    else this.#uncounted -= 1;
    // The `ws` package waits 30 s for the client's close frame and keeps reading meanwhile.
    const webSocket = webSocketOf(connection);
    if (webSocket !== undefined && webSocket.readyState !== webSocket.CLOSED)
      setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref();
  });
}

function webSocketOf(connection: Connection): VisitedWebSocket | undefined {
  return (connection.transport as { socket?: VisitedWebSocket }).socket;
}

function withWebSocket(handle: (webSocket: VisitedWebSocket) => void): (this: VisitedWebSocket) => void {
  return function onEvent() {
    handle(this);
  };
}

function withConnection(handle: (connection: Connection) => void): (this: Connection) => void {
  return function onEvent() {
    handle(this);
  };
}

/** Holds back writes to a connection until `release`, which must follow soon; closing the connection also releases it. */
export function hold(visitor: Visitor, connection: Connection): void {
  // Not available on a connection that logs in for the second time.
  visitor.held = connection.request?.socket ?? null;
  visitor.held?.cork();
}

export function release(visitor: Visitor): void {
  visitor.held?.uncork();
  visitor.held = null;
}
