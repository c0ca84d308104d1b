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

/** The transport connection under a socket. */
type Connection = Socket["conn"];

/** What is kept of one connection: one small object, because there are tens of thousands. */
export interface Visitor {
  readonly address: string;
  /** Whether it counts as connected; otherwise it only gets the error that there are too many. */
  isCounted: boolean;
  /** null while it is not logged in. */
  actor: Actor | null;
  callsInFlight: number;
  /** Set while what is written to the connection is held back, to leave in one write. */
  held: Duplex | null;
  /** Packets received since `countedSinceMs`. */
  packets: number;
  countedSinceMs: number;
}

export interface VisitorsOptions {
  /** Shared with the other threads. */
  limit: ConnectionLimit;
  trustProxy: TrustedProxies;
  /** Multiplies the packets allowed in a second, where it is above 1. */
  rateLimitFactor: number;
  onFlood(): void;
}

const VISITOR = Symbol("visitor");
type Visited = Connection & { [VISITOR]?: Visitor };
/** What is used of the `ws` package's WebSocket under a connection. */
interface VisitedWebSocket {
  [VISITOR]?: Visitor;
  on(event: "ping" | "pong", listener: (this: VisitedWebSocket) => void): unknown;
  readonly readyState: number;
  readonly CLOSED: number;
  terminate(): void;
}

/** Limits the connections, and what comes in on each. */
export class Visitors {
  readonly #options: VisitorsOptions;
  readonly #maxPackets: number;
  /** Connections that are not counted. */
  #uncounted = 0;

  constructor(options: VisitorsOptions) {
    this.#options = options;
    this.#maxPackets = MAX_PACKETS_PER_SECOND * Math.max(1, options.rateLimitFactor);
  }

  /** Whether there is no room even for a connection that only gets the error that there are too many. */
  isFull(request: IncomingMessage): boolean {
    if (this.#uncounted < REFUSAL_SLACK) return false;
    return !this.#options.limit.hasRoom(clientAddress(request, this.#options.trustProxy));
  }

  /** Whether this connection is one too many. */
  isOneTooMany(connection: Connection): boolean {
    const visitor = this.of(connection);
    if (visitor.isCounted || connection.readyState !== "open") return !visitor.isCounted;
    visitor.isCounted = this.#options.limit.take(visitor.address);
    if (visitor.isCounted) this.#uncounted -= 1;
    return !visitor.isCounted;
  }

  welcome(connection: Connection): void {
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
    if (visitor === undefined) throw new Error("This connection was never welcomed.");
    return visitor;
  }

  // One function for all connections: each is called with its connection as `this`.
  readonly #onPacket = withConnection((connection) => {
    if (this.#isFlood(this.of(connection), 1)) connection.close(true);
  });

  // One function for all, as above. `ws` answers pings before it emits them.
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
    // The `ws` package waits 30 s for the client's close frame, and reads on meanwhile.
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

/** Holds back what is written to a connection until `release`, which must follow soon; the connection's end does it too. */
export function hold(visitor: Visitor, connection: Connection): void {
  // There is none on a connection that logs in for the second time.
  visitor.held = connection.request?.socket ?? null;
  visitor.held?.cork();
}

export function release(visitor: Visitor): void {
  visitor.held?.uncork();
  visitor.held = null;
}
