import { LIMITS, userRoom } from "@fanfare/contract";
import {
  ACCESS_TOKEN_LIFETIME_MS,
  type Actor,
  boundedMap,
  chunks,
  type DomainEvents,
  entryLimit,
  type NodeContext,
  repeat,
  requiresSecondFactor,
  serviceError,
  WorkTimer,
} from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import type { GatewaySocket, SocketServer } from "./connection-registry.ts";
import {
  CATCH_UP_CONCURRENCY,
  ENDED_SESSIONS_CHECK_MS,
  FACTOR_TTL_MS,
  MAX_CACHED_FACTORS,
  MAX_ENDED_SESSIONS,
  MAX_USED_SESSIONS,
} from "./constants.ts";

/** Upper bound for the clock difference between processes. */
const CLOCK_SKEW_MS = 60_000;
const REMEMBER_MS = ACCESS_TOKEN_LIFETIME_MS + CLOCK_SKEW_MS;

/** Ended sessions whose access tokens would still be accepted. */
export class EndedSessions {
  readonly #maxSessions: number;
  /** Expiry by session id, in that order. */
  readonly #sessions = new Map<string, number>();

  constructor(maxSessions = MAX_ENDED_SESSIONS) {
    this.#maxSessions = maxSessions;
  }

  add(sessionIds: readonly string[], nowMs: number): void {
    for (const sessionId of sessionIds) {
      this.#sessions.delete(sessionId);
      this.#sessions.set(sessionId, nowMs + REMEMBER_MS);
    }
    for (const [sessionId, untilMs] of this.#sessions) {
      if (untilMs > nowMs && this.#sessions.size <= this.#maxSessions) break;
      this.#sessions.delete(sessionId);
    }
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  get size(): number {
    return this.#sessions.size;
  }
}

/** Sends `session.revoked` to the sockets of ended sessions and closes them. Other sessions of the user stay connected. */
export function closeSessions(io: SocketServer, { userId, sessionIds }: DomainEvents["session.ended"]): void {
  for (const socket of socketsOf(io, userId)) {
    const sessionId = socket.data.actor?.sessionId;
    if (sessionId !== undefined && sessionIds.includes(sessionId)) closeEnded(socket, sessionId);
  }
}

/**
 * Updates the actor of a session's sockets.
 * @returns these sockets
 */
export function changeSession(io: SocketServer, actor: DomainEvents["session.changed"]): GatewaySocket[] {
  const sockets = socketsOf(io, actor.userId).filter(({ data }) => data.actor?.sessionId === actor.sessionId);
  for (const { data } of sockets) data.actor = actor;
  return sockets;
}

/** @returns whether the socket was closed, because its session has ended */
export function closeIfEnded(socket: GatewaySocket, ended: EndedSessions): boolean {
  const sessionId = socket.data.actor?.sessionId;
  if (sessionId === undefined || !ended.has(sessionId)) return false;
  closeEnded(socket, sessionId);
  return true;
}

function closeEnded(socket: GatewaySocket, sessionId: string): void {
  socket.emit("session.revoked", { sessionIds: [sessionId] });
  socket.disconnect(true);
}

function socketsOf(io: SocketServer, userId: string): GatewaySocket[] {
  const { adapter, sockets } = io.of("/");
  const socketIds = [...(adapter.rooms.get(userRoom(userId)) ?? [])];
  return socketIds.map((id) => sockets.get(id)).filter((socket) => socket !== undefined);
}

/**
 * Polls for ended sessions, because the CLI ends sessions in the database without notifying a running instance.
 * @returns a function that stops it
 */
export function watchEndedSessions(
  { services, logger }: Pick<NodeContext, "services" | "logger">,
  io: SocketServer,
  ended: EndedSessions,
): () => Promise<void> {
  let checkedAtMs = Date.now();
  const poll = async (): Promise<void> => {
    const nowMs = Date.now();
    const withinMs = nowMs - checkedAtMs + CLOCK_SKEW_MS;
    const { sessionIds } = await services.user.listRevokedSessions({ withinMs });
    checkedAtMs = nowMs;
    const missed = sessionIds.filter((sessionId) => !ended.has(sessionId));
    if (missed.length === 0) return;
    ended.add(missed, nowMs);
    for (const socket of io.of("/").sockets.values()) closeIfEnded(socket, ended);
  };
  return repeat(poll, { everyMs: ENDED_SESSIONS_CHECK_MS, what: "looking for ended sessions", logger }).stop;
}

/**
 * Reports which sessions are used, for policies that end idle ones. A socket stays open without new tokens, so the user service
 * can't know it otherwise.
 */
export function createSessionUse({ services, logger }: Pick<NodeContext, "services" | "logger">) {
  const used = new Set<string>();
  const report = async (sessionIds: string[]): Promise<void> => {
    try {
      await services.user.touchSessions({ sessionIds });
    } catch (error) {
      for (const sessionId of sessionIds) if (used.size < MAX_USED_SESSIONS) used.add(sessionId);
      logger.warn({ err: error, sessions: sessionIds.length }, "session use not reported");
    }
  };
  const reportAll = async (): Promise<void> => {
    const sessionIds = [...used];
    used.clear();
    await Promise.all(chunks(sessionIds, LIMITS.sessionsPerReport).map(report));
  };
  const timer = new WorkTimer(LIMITS.sessionUseReportMs, () => {
    const isUsed = used.size > 0;
    void reportAll();
    return isUsed;
  });
  return {
    /** Called when a user makes a change, not when a page loads data by itself. */
    note({ sessionId, kind }: Actor): void {
      if (kind !== "member" || used.size >= MAX_USED_SESSIONS) return;
      used.add(sessionId);
      timer.start();
    },

    async stop(): Promise<void> {
      timer.stop();
      await reportAll();
    },
  };
}

/** Restricts sessions without the second factor that the policy requires: they get no socket, and can only set one up. */
export class SecondFactor {
  readonly #node: Pick<NodeContext, "services" | "policy" | "logger">;
  /** Sessions that meet the requirement. Others are checked with every call, so that they are unblocked immediately. */
  readonly #verified = new LRUCache<string, true>({ ...entryLimit(MAX_CACHED_FACTORS), ttl: FACTOR_TTL_MS });

  constructor(node: Pick<NodeContext, "services" | "policy" | "logger">) {
    this.#node = node;
  }

  /**
   * Synchronous unless a lookup is needed.
   * @throws {ServiceError} SECOND_FACTOR_REQUIRED; UNAVAILABLE when the policy or the factor is unknown
   */
  assertVerified(actor: Actor): Promise<void> | undefined {
    const policy = this.#node.policy.peek();
    const isMet = policy !== undefined && !requiresSecondFactor(policy, actor);
    return isMet || this.#verified.has(actor.sessionId) ? undefined : this.#ask(actor);
  }

  /** Closes the sockets of sessions without a factor. They are rejected when they reconnect. */
  async close(sockets: Iterable<GatewaySocket>): Promise<void> {
    await boundedMap([...sockets], CATCH_UP_CONCURRENCY, async (socket) => {
      const { actor } = socket.data;
      try {
        if (actor !== null) await this.assertVerified(actor);
      } catch (error) {
        this.#node.logger.debug({ err: error, userId: actor?.userId }, "socket without second factor");
        socket.disconnect(true);
      }
    });
  }

  /** Clears the cache: factors may have been removed while none was required. */
  evict(): void {
    this.#verified.clear();
  }

  async #ask(actor: Actor): Promise<void> {
    const { services, policy } = this.#node;
    if (!requiresSecondFactor(await policy.get(), actor)) return;
    const { userId, sessionId } = actor;
    if (!(await services.user.hasSecondFactor({ userId, sessionId })).has)
      throw serviceError("SECOND_FACTOR_REQUIRED");
    this.#verified.set(sessionId, true);
  }
}
