import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Actor } from "@fanfare/kernel";
import type { Socket } from "socket.io";
import { MAX_PACKETS_PER_SECOND, PACKETS_PER_CONTROL_FRAME, REFUSAL_SLACK } from "./bounds.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";
import { Tally } from "./tally.ts";

/** The transport connection under a socket. */
type Connection = Socket["conn"];

/** What is kept of one connection: one small object, because there are tens of thousands. */
export interface Visitor {
  readonly address: string;
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
  maxConnections: number;
  maxConnectionsPerAddress: number;
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
  terminate(): void;
}

/** Counts connections, in total and by address, and what comes in on each. */
export class Visitors {
  readonly #options: VisitorsOptions;
  readonly #maxPackets: number;
  readonly #perAddress = new Tally();
  #total = 0;

  constructor(options: VisitorsOptions) {
    this.#options = options;
    this.#maxPackets = MAX_PACKETS_PER_SECOND * Math.max(1, options.rateLimitFactor);
  }

  /** Whether there is no room even for a connection that will only be told that there is none. */
  isFull(request: IncomingMessage): boolean {
    const address = clientAddress(request, this.#options.trustProxy);
    return this.#exceeds(address, REFUSAL_SLACK, 1);
  }

  /** Whether this connection is one too many. */
  isOneTooMany(connection: Connection): boolean {
    return this.#exceeds(this.of(connection).address, 0, 0);
  }

  welcome(connection: Connection): void {
    const address = clientAddress(connection.request, this.#options.trustProxy);
    const visitor: Visitor = {
      address,
      actor: null,
      callsInFlight: 0,
      held: null,
      packets: 0,
      countedSinceMs: 0,
    };
    (connection as Visited)[VISITOR] = visitor;
    this.#total += 1;
    this.#perAddress.add(address);
    connection.on("packet", this.#onPacket);
    const webSocket = (connection.transport as { socket?: VisitedWebSocket }).socket;
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

  #exceeds(address: string, slack: number, more: number): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#options;
    const ofAddress = this.#perAddress.of(address);
    return this.#total + more > maxConnections + slack || ofAddress + more > maxConnectionsPerAddress + slack;
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
    this.#total -= 1;
    this.#perAddress.remove(visitor.address);
  });
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
