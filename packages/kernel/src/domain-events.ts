import type { EventPayload, Maintenance, Message, User } from "@fanfare/contract";
import type { FanoutBus } from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";

/** What services tell each other (and every process hears); clients get the contract's events instead. */
export interface DomainEvents {
  /** What a user, or everybody where userId is null, may do has changed in a group, or in a channel that is in none. */
  "access.changed": { groupId: string; userId: string | null };
  "session.ended": { userId: string; sessionIds: string[] };
  "user.profileChanged": { user: User };
  "server.announced": EventPayload<"server.announced">;
  "maintenance.changed": Maintenance;
  /**
   * New messages of one channel are on disk, for what may be lost with a process: previews, pushes, bots. It is told only where
   * some service listens.
   */
  "message.stored": { channelId: string; groupId: string | null; messages: Message[] };
}

export type DomainEventName = keyof DomainEvents;
export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;

/** What one process of each service is to deal with, and not all of them. */
const FOR_ONE: ReadonlySet<string> = new Set<DomainEventName>(["message.stored", "user.profileChanged"]);
const FOR_ALL: readonly DomainEventName[] = [
  "access.changed",
  "session.ended",
  "server.announced",
  "maintenance.changed",
];

const subjectOf = (name: string): string => `fanfare.event.${name}`;

/**
 * Tells events to the services of this process, which have heard them when it returns, and to all others over the bus:
 * also to those that Moleculer takes for dead at the moment, because they would go on with what they knew.
 * @param bus null: there are no others
 */
export function createBroadcast(broker: ServiceBroker, bus: FanoutBus | null): Broadcast {
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
  return (name, payload) => {
    if (FOR_ONE.has(name)) {
      if (broker.registry.events.getGroups(name).length > 0) void broker.emit(name, payload);
      return;
    }
    void broker.broadcastLocal(name, payload);
    const told: Told = { from: broker.nodeID, payload };
    bus?.publish(subjectOf(name), Buffer.from(JSON.stringify(told)));
  };
}
