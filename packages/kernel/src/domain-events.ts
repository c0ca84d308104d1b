import type { EventPayload, Maintenance, Message, User } from "@fanfare/contract";
import type { FanoutBus } from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";
import { currentScope } from "./request-scope.ts";
import type { Tracing } from "./tracing/tracing.ts";
import type { Actor } from "./actor.ts";

/** What services tell each other (and every process hears); clients get the contract's events instead. */
export interface DomainEvents {
  /** What a user, or everybody where userId is null, may do has changed in a group, or in a channel that is in none. */
  "access.changed": { groupId: string; userId: string | null };
  "session.ended": { userId: string; sessionIds: string[] };
  /** A session goes on, and whose it is may do something else than before: a guest has become an account. */
  "session.changed": Actor;
  "user.profileChanged": { user: User };
  /** A user has blocked another one. */
  "user.blocked": { userId: string; blockedId: string };
  "server.announced": EventPayload<"server.announced">;
  "maintenance.changed": Maintenance;
  /** The messages of these channels go. */
  "channel.emptied": { channelIds: string[] };
  /** These messages were removed because of their age. */
  "message.removed": { channelId: string; messageIds: string[] };
  /**
   * New messages of one channel are on disk, for what may be lost with a process: previews, pushes, bots. It is told only where
   * some service listens.
   */
  "message.stored": { channelId: string; groupId: string | null; messages: Message[] };
}

export type DomainEventName = keyof DomainEvents;
export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;

/** What one process of each service is to deal with, and not all of them. */
const FOR_ONE: ReadonlySet<string> = new Set<DomainEventName>([
  "channel.emptied",
  "message.removed",
  "message.stored",
  "user.blocked",
  "user.profileChanged",
]);
const FOR_ALL: readonly DomainEventName[] = [
  "access.changed",
  "session.ended",
  "session.changed",
  "server.announced",
  "maintenance.changed",
];

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
  bus: FanoutBus | null,
  headersOf?: Tracing["headersOf"],
): Broadcast {
  interface Told {
    from: string;
    payload: unknown;
  }
  for (const name of bus === null ? [] : FOR_ALL) {
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
    if (FOR_ONE.has(name)) {
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
