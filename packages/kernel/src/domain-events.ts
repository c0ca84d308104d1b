import { DOMAIN_EVENTS, type DomainEventName, type DomainEvents } from "@fanfare/contract";
import type { Bus } from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";
import { currentScope } from "./request-scope.ts";
import type { Tracing } from "./tracing/tracing.ts";

export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;

const LISTENERS_CACHE_MS = 100;

const subjectOf = (name: string): string => `fanfare.event.${name}`;

/**
 * Broadcasts events to the services of this process, synchronously, and to all other processes over the bus: also to those that
 * Moleculer considers dead at the moment, because they would keep using stale data.
 * @param bus null in a single-process instance
 * @param headersOf trace headers of an event; undefined without tracing
 */
export function createBroadcast(
  broker: ServiceBroker,
  bus: Bus | null,
  headersOf?: Tracing["headersOf"],
): Broadcast {
  interface BroadcastMessage {
    from: string;
    payload: unknown;
  }
  for (const [name, { delivery }] of Object.entries(DOMAIN_EVENTS)) {
    if (delivery !== "everyProcess") continue;
    bus?.subscribe(subjectOf(name), (message) => {
      const { from, payload } = JSON.parse(Buffer.from(message).toString()) as BroadcastMessage;
      if (from !== broker.nodeID) void broker.broadcastLocal(name, payload);
    });
  }
  const listenerCache = new Map<string, { has: boolean; untilMs: number }>();
  /** Cached for events that are emitted very often. */
  const hasListeners = (name: string): boolean => {
    const nowMs = Date.now();
    let known = listenerCache.get(name);
    if (known === undefined || nowMs > known.untilMs) {
      known = { has: broker.registry.events.getGroups(name).length > 0, untilMs: nowMs + LISTENERS_CACHE_MS };
      listenerCache.set(name, known);
    }
    return known.has;
  };
  return (name, payload) => {
    if (DOMAIN_EVENTS[name].delivery === "oneProcess") {
      if (!hasListeners(name)) return;
      // A handler in another process runs as part of the same request.
      const scope = currentScope();
      const meta = scope === undefined ? {} : { requestId: scope.requestId };
      const headers = scope === undefined ? undefined : headersOf?.(scope);
      void broker.emit(name, payload, { meta, ...(headers && { headers }) });
      return;
    }
    void broker.broadcastLocal(name, payload);
    const message: BroadcastMessage = { from: broker.nodeID, payload };
    bus?.publish(subjectOf(name), Buffer.from(JSON.stringify(message)));
  };
}
