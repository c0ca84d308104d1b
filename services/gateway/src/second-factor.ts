import {
  boundedMap,
  requiresSecondFactor,
  serviceError,
  type Actor,
  type NodeContext,
  entryLimit,
} from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { CATCH_UP_CONCURRENCY, FACTOR_TTL_MS, MAX_CACHED_FACTORS } from "./constants.ts";
import type { GatewaySocket } from "./connection-registry.ts";

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
