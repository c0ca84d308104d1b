import { actionDefinition, isActionName, LIMITS, type Subscription } from "@fanfare/contract";
import { limitReached, unavailable } from "@fanfare/kernel";
import { SUBSCRIBE_TIMEOUT_MS, SUBSCRIPTION_SWEEP_MS } from "./constants.ts";
import type { GatewaySocket, SocketServer } from "./connection-registry.ts";

type AnySubscription = Subscription<unknown, unknown>;

/** Joins sockets to the rooms that a successful call subscribes to, for the time given by the contract. */
export class Subscriptions {
  readonly #io: SocketServer;
  readonly #timer: NodeJS.Timeout;
  /** Expiry of each subscribed room by socket id, earliest first. */
  readonly #rooms = new Map<string, Map<string, number>>();

  constructor(io: SocketServer) {
    this.#io = io;
    this.#timer = setInterval(() => this.#sweep(), SUBSCRIPTION_SWEEP_MS).unref();
  }

  /**
   * @param calledAtMs when the call arrived, by `performance.now()`
   * @throws {ServiceError} when the socket has too many rooms, or the call took so long that events may have been missed
   */
  async join(
    socket: GatewaySocket,
    subscription: Extract<AnySubscription, { limit: string }>,
    result: unknown,
    calledAtMs: number,
  ): Promise<void> {
    const { limit, lifetimeMs } = subscription;
    const rooms = subscription.join(result);
    if (!socket.connected || rooms.length === 0) return;
    const held = this.#rooms.get(socket.id) ?? new Map<string, number>();
    const added = rooms.filter((room) => !held.has(room));
    if (held.size + added.length > LIMITS[limit]) throw limitReached(limit);
    const untilMs = performance.now() + lifetimeMs;
    for (const room of rooms) {
      held.delete(room);
      held.set(room, untilMs);
    }
    this.#rooms.set(socket.id, held);
    await socket.join(added);
    if (performance.now() - calledAtMs <= SUBSCRIBE_TIMEOUT_MS) return;
    this.leave(socket, added);
    throw unavailable();
  }

  leave(socket: GatewaySocket, rooms: readonly string[]): void {
    const held = this.#rooms.get(socket.id);
    // Only subscribed rooms: a client can't leave those of its user and groups.
    for (const room of rooms) if (held?.delete(room)) void socket.leave(room);
    if (held?.size === 0) this.#rooms.delete(socket.id);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const { sockets } = this.#io.of("/");
    const nowMs = performance.now();
    for (const [socketId, held] of this.#rooms) {
      const socket = sockets.get(socketId);
      for (const [room, untilMs] of held) {
        if (socket === undefined) break;
        if (untilMs > nowMs) break;
        held.delete(room);
        void socket.leave(room);
      }
      if (socket === undefined || held.size === 0) this.#rooms.delete(socketId);
    }
  }
}

/** undefined for most actions. */
export function subscriptionOf(name: unknown): AnySubscription | undefined {
  return typeof name === "string" && isActionName(name) ? actionDefinition(name).subscription : undefined;
}
