import { setTimeout as delay } from "node:timers/promises";
import { type Group, groupRoom, type Member } from "@fanfare/contract";
import type { Publish } from "@fanfare/kernel";

/** Joins and leaves are published to a group at most this often, so that many joins don't cause as many events. */
const GATHER_MS = 250;
/** The same while the database does not answer. */
const RETRY_MS = 5000;
/** Of a crowd this many are listed; the count is always right. */
const MAX_LISTED = 50;
/** When the process stops: how often it looks again for what others have changed, and how long all that may take. */
const LAST_LOOKS = 3;
const STOP_MS = 2000;

export interface StoredMembers {
  memberCount: number;
  /** Those of the users asked for who are members. */
  members: Member[];
}

interface AnnouncerOptions {
  publish: Publish;
  /** undefined when the group is gone. */
  read: (groupId: string, userIds: readonly string[]) => Promise<StoredMembers | undefined>;
  onError: (error: unknown) => void;
}

/** What this process has published to a group, and what is still pending. */
interface News {
  /** Users who came or went. */
  changed: Set<string>;
  /** What the last publication said of its users; undefined: left. */
  published: Map<string, Member | undefined>;
  publishedCount?: number | undefined;
  /** What the last look found. */
  seenCount?: number;
  /** Something came while a look was under way, which may not have seen it. */
  isDue?: boolean;
  looking: Promise<void>;
  timer?: NodeJS.Timeout;
}

export type MemberAnnouncer = ReturnType<typeof createMemberAnnouncer>;

/**
 * Publishes `member.joined` and `member.left`: the first change at once, those that follow soon after together, and always
 * as it is stored at that moment. Another process may publish about the same members and the same count, and the older
 * publication may arrive last. So each process looks once more after its last one, and where that is not true any more it
 * publishes again: whichever arrives last, it was true after it had been sent.
 */
export function createMemberAnnouncer({ publish, read, onError }: AnnouncerOptions) {
  const groups = new Map<string, News>();
  let stopped = false;

  /** @returns whether to look again: something was published, or the count is changing */
  const announce = async (groupId: string, news: News, mayRest: boolean): Promise<boolean> => {
    const { changed, published } = news;
    news.changed = new Set();
    let stored: StoredMembers | undefined;
    try {
      stored = await read(groupId, [...changed.union(new Set(published.keys()))]);
    } catch (error) {
      news.changed = changed.union(news.changed);
      throw error;
    }
    if (stored === undefined) return false;
    const { memberCount } = stored;
    const members = new Map(stored.members.map((member) => [member.userId, member]));
    for (const [userId, member] of published) {
      if (member?.mutedUntil !== members.get(userId)?.mutedUntil) changed.add(userId);
    }
    // While other processes change the count, they publish it; otherwise each process would publish all changes.
    const isMoving = mayRest && memberCount !== news.seenCount;
    news.seenCount = memberCount;
    const isPublished = memberCount === news.publishedCount;
    if (changed.size === 0 && (isPublished || isMoving)) return !isPublished;
    news.publishedCount = memberCount;
    news.published = new Map([...changed].map((userId) => [userId, members.get(userId)]));
    const joined = [...news.published.values()].filter((member) => member !== undefined);
    const left = [...changed].filter((userId) => !members.has(userId));
    const room = groupRoom(groupId);
    if (left.length > 0) publish(room, "member.left", { groupId, userIds: left, memberCount });
    if (joined.length > 0 || left.length === 0) {
      publish(room, "member.joined", { groupId, members: joined, memberCount });
    }
    return true;
  };

  const look = async (groupId: string, news: News): Promise<void> => {
    news.isDue = false;
    try {
      const again = await announce(groupId, news, true);
      if (again || news.isDue) lookIn(GATHER_MS, groupId, news);
      else if (!stopped) groups.delete(groupId);
    } catch (error) {
      onError(error);
      lookIn(RETRY_MS, groupId, news);
    }
  };

  const lookIn = (delayMs: number, groupId: string, news: News): void => {
    if (stopped) return;
    news.timer = setTimeout(() => {
      news.looking = look(groupId, news);
    }, delayMs);
  };

  const finish = async (groupId: string, news: News): Promise<void> => {
    clearTimeout(news.timer);
    await news.looking;
    try {
      for (let looks = 0; looks < LAST_LOOKS && (await announce(groupId, news, false)); looks += 1);
    } catch (error) {
      onError(error);
    }
  };

  /** @param publishedCount the count that another event has just published, if any: then it is not published now */
  const follow = (groupId: string, userIds: readonly string[], publishedCount?: number): void => {
    const known = groups.get(groupId);
    if (known !== undefined) {
      for (const userId of userIds) if (known.changed.size < MAX_LISTED) known.changed.add(userId);
      known.publishedCount = publishedCount ?? known.publishedCount;
      known.isDue = true;
      return;
    }
    if (stopped) return;
    const news: News = {
      changed: new Set(userIds),
      published: new Map(),
      publishedCount,
      looking: Promise.resolve(),
    };
    groups.set(groupId, news);
    if (publishedCount === undefined) news.looking = look(groupId, news);
    else lookIn(GATHER_MS, groupId, news);
  };

  return {
    /** A user came or went: which of the two is read when it is published. */
    changed: (groupId: string, userId: string) => follow(groupId, [userId]),
    /** The count was corrected. */
    recounted: (groupId: string) => follow(groupId, []),
    /** The event has the count, so it is not published again. */
    updated(group: Group): { group: Group } {
      publish(groupRoom(group.id), "group.updated", { group });
      follow(group.id, [], group.memberCount);
      return { group };
    },
    /** Publishes pending changes, which only this process knows. */
    async stop(): Promise<void> {
      stopped = true;
      const last = Promise.all([...groups].map(([groupId, news]) => finish(groupId, news)));
      await Promise.race([last, delay(STOP_MS, undefined, { ref: false })]);
      groups.clear();
    },
  };
}
