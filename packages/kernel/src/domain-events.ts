import type { User } from "@fanfare/contract";

/** What services tell each other (and every process hears); clients get the contract's events instead. */
export interface DomainEvents {
  /** What a user, or everybody where userId is null, may do in a group has changed. */
  "access.changed": { groupId: string; userId: string | null };
  "session.ended": { userId: string; sessionIds: string[] };
  "user.profileChanged": { user: User };
}

export type DomainEventName = keyof DomainEvents;
export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;
