import { DOMAIN_EVENTS, type DomainEventName, type DomainEvents } from "@fanfare/contract";
import type { Bus } from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";
import { currentScope } from "./request-scope.ts";
import type { Tracing } from "./tracing/tracing.ts";

export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;

/** Services that listen come and go with processes. */
const LISTENERS_KNOWN_MS = 100;

const subjectOf = (name: string): string => `fanfare.event.${name}`;

/**
 * Tells events to the services of this process, which have heard them when it returns, and to all others over the bus:
 * also to those that Moleculer takes for dead at the moment, because they would go on with what they knew.
 * @param bus null: there are no others
 * @param headersOf where what is told is traced; undefined: nothing is
 */
export function createBroadcast(
  broker: ServiceBroker,
  bus: Bus | null,
  headersOf?: Tracing["headersOf"],
): Broadcast {
  interface Told {
    from: string;
    payload: unknown;
  }
  for (const [name, { delivery }] of Object.entries(DOMAIN_EVENTS)) {
    if (delivery !== "everyProcess") continue;
    bus?.subscribe(subjectOf(name), (message) => {
      const { from, payload } = JSON.parse(Buffer.from(message).toString()) as Told;
      if (from !== broker.nodeID) void broker.broadcastLocal(name, payload);
    });
  }
  const asked = new Map<string, { has: boolean; untilMs: number }>();
  /** Asked once in a while only, for events that are told very often. */
  const hasListeners = (name: string): boolean => {
    const nowMs = Date.now();
    let known = asked.get(name);
    if (known === undefined || nowMs > known.untilMs) {
      known = { has: broker.registry.events.getGroups(name).length > 0, untilMs: nowMs + LISTENERS_KNOWN_MS };
      asked.set(name, known);
    }
    return known.has;
  };
  return (name, payload) => {
    if (DOMAIN_EVENTS[name].delivery === "oneProcess") {
      if (!hasListeners(name)) return;
      // Whoever hears of it in another process deals with it for the same request.
      const scope = currentScope();
      const meta = scope === undefined ? {} : { requestId: scope.requestId };
      const headers = scope === undefined ? undefined : headersOf?.(scope);
      void broker.emit(name, payload, { meta, ...(headers && { headers }) });
      return;
    }
    void broker.broadcastLocal(name, payload);
    const told: Told = { from: broker.nodeID, payload };
    bus?.publish(subjectOf(name), Buffer.from(JSON.stringify(told)));
  };
}
