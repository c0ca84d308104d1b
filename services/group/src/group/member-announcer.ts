import { setTimeout as delay } from "node:timers/promises";
import { type Group, groupRoom, type Member, type MemberChange } from "@fanfare/contract";
import type { Publish } from "@fanfare/kernel";

/** Joins and leaves of a group are published at most this often, so that many of them share an event. */
const GATHER_MS = 250;
/** The interval while the database does not respond. */
const RETRY_MS = 5000;
/** Maximum of members listed in one event; the count is always exact. */
const MAX_LISTED = 50;
/** On shutdown: how often pending changes are checked, and how long that can take in total. */
const LAST_CHECKS = 3;
const STOP_MS = 2000;

export interface StoredMembers {
  memberCount: number;
  /** The requested users who are members. */
  members: Member[];
  /** When the others left. */
  departures: MemberChange[];
}

interface AnnouncerOptions {
  publish: Publish;
  /** @returns undefined when the group doesn't exist */
  read: (groupId: string, userIds: readonly string[]) => Promise<StoredMembers | undefined>;
  onError: (error: unknown) => void;
}

/** What this process has published to a group, and what is pending. */
interface GroupChanges {
  /** Users who joined or left. */
  changed: Set<string>;
  /** The published state by user; undefined: left. */
  published: Map<string, Member | undefined>;
  publishedCount?: number | undefined;
  /** The count at the last check. */
  seenCount?: number;
  /** Something changed during a check, which may have missed it. */
  isDue?: boolean;
  checking: Promise<void>;
  timer?: NodeJS.Timeout;
}

export type MemberAnnouncer = ReturnType<typeof createMemberAnnouncer>;

/**
 * Publishes `member.joined` and `member.left` with the stored state: the first change immediately, further ones batched. When
 * several processes publish about the same members, an older publication can arrive last. Therefore each process checks once
 * more after its last publication and publishes again if the state has changed.
 */
export function createMemberAnnouncer({ publish, read, onError }: AnnouncerOptions) {
  const groups = new Map<string, GroupChanges>();
  let stopped = false;

  /** @returns whether to check again: something was published, or the count is changing */
  const announce = async (groupId: string, pending: GroupChanges, mayRest: boolean): Promise<boolean> => {
    const { changed, published } = pending;
    pending.changed = new Set();
    let stored: StoredMembers | undefined;
    try {
      stored = await read(groupId, [...changed.union(new Set(published.keys()))]);
    } catch (error) {
      pending.changed = changed.union(pending.changed);
      throw error;
    }
    if (stored === undefined) return false;
    const { memberCount } = stored;
    const members = new Map(stored.members.map((member) => [member.userId, member]));
    for (const [userId, member] of published) {
      if (member?.mutedUntil !== members.get(userId)?.mutedUntil) changed.add(userId);
    }
    // While other processes change the count, they publish it; otherwise each process would publish all changes.
    const isMoving = mayRest && memberCount !== pending.seenCount;
    pending.seenCount = memberCount;
    const isPublished = memberCount === pending.publishedCount;
    if (changed.size === 0 && (isPublished || isMoving)) return !isPublished;
    pending.publishedCount = memberCount;
    pending.published = new Map([...changed].map((userId) => [userId, members.get(userId)]));
    const joined = [...pending.published.values()].filter((member) => member !== undefined);
    const left = [...changed].filter((userId) => !members.has(userId));
    const room = groupRoom(groupId);
    if (left.length > 0) {
      const departures = stored.departures.filter(({ userId }) => left.includes(userId));
      publish(room, "member.left", { groupId, userIds: left, memberCount, departures });
    }
    if (joined.length > 0 || left.length === 0) {
      publish(room, "member.joined", { groupId, members: joined, memberCount });
    }
    return true;
  };

  const check = async (groupId: string, pending: GroupChanges): Promise<void> => {
    pending.isDue = false;
    try {
      const again = await announce(groupId, pending, true);
      if (again || pending.isDue) checkIn(GATHER_MS, groupId, pending);
      else if (!stopped) groups.delete(groupId);
    } catch (error) {
      onError(error);
      checkIn(RETRY_MS, groupId, pending);
    }
  };

  const checkIn = (delayMs: number, groupId: string, pending: GroupChanges): void => {
    if (stopped) return;
    pending.timer = setTimeout(() => {
      pending.checking = check(groupId, pending);
    }, delayMs);
  };

  const finish = async (groupId: string, pending: GroupChanges): Promise<void> => {
    clearTimeout(pending.timer);
    await pending.checking;
    try {
      for (let checks = 0; checks < LAST_CHECKS && (await announce(groupId, pending, false)); checks += 1);
    } catch (error) {
      onError(error);
    }
  };

  /** @param publishedCount the count that another event has just published, if any */
  const follow = (groupId: string, userIds: readonly string[], publishedCount?: number): void => {
    const known = groups.get(groupId);
    if (known !== undefined) {
      for (const userId of userIds) if (known.changed.size < MAX_LISTED) known.changed.add(userId);
      known.publishedCount = publishedCount ?? known.publishedCount;
      known.isDue = true;
      return;
    }
    if (stopped) return;
    const pending: GroupChanges = {
      changed: new Set(userIds),
      published: new Map(),
      publishedCount,
      checking: Promise.resolve(),
    };
    groups.set(groupId, pending);
    if (publishedCount === undefined) pending.checking = check(groupId, pending);
    else checkIn(GATHER_MS, groupId, pending);
  };

  return {
    /** A user joined or left; which one is read from the database when it is published. */
    changed: (groupId: string, userId: string) => follow(groupId, [userId]),
    /** The count was corrected. */
    recounted: (groupId: string) => follow(groupId, []),
    /** The event contains the count, so it is not published again. */
    updated(group: Group): { group: Group } {
      publish(groupRoom(group.id), "group.updated", { group });
      follow(group.id, [], group.memberCount);
      return { group };
    },
    /** Publishes pending changes, which only this process knows. */
    async stop(): Promise<void> {
      stopped = true;
      const last = Promise.all([...groups].map(([groupId, pending]) => finish(groupId, pending)));
      await Promise.race([last, delay(STOP_MS, undefined, { ref: false })]);
      groups.clear();
    },
  };
}
