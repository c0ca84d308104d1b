import { mentionKey, type Message, userRoom } from "@fanfare/contract";
import { boundedMap, can, type DomainEvents, type NodeContext } from "@fanfare/kernel";
import { FOLLOW_CACHE_SIZE, FOLLOW_RECORD_MS, PLACE_CACHE_SIZE, QUERY_CONCURRENCY } from "./constants.ts";
import type { FollowRepository, Thread } from "./follow.repository.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";

/**
 * Notifies users mentioned by name. Role mentions and @everyone need no separate notifications: clients detect them in the
 * message. A lost notification does no harm, because the inbox is queried from the messages.
 */
export async function notifyMentioned(
  node: NodeContext,
  { channelId, groupId, messages }: DomainEvents["message.stored"],
): Promise<void> {
  const mentioned = messages.flatMap((message) =>
    namedBy(message).map((userId): [string, Message] => [userId, message]),
  );
  await boundedMap(mentioned, QUERY_CONCURRENCY, async ([userId, message]) => {
    const access = await node.access.get(userId, { channelId });
    if (can(access, "view")) node.publish(userRoom(userId), "inbox.added", { message, groupId });
  });
}

function namedBy({ mentions, authorId }: Message): string[] {
  return mentions?.userIds.filter((userId) => userId !== authorId) ?? [];
}

interface Known extends Thread {
  /** The user who opened the thread. */
  ownerId: string | null;
}

interface FollowOptions {
  node: Pick<NodeContext, "access" | "publish" | "services">;
  follows: Pick<FollowRepository, "add">;
}

/**
 * Records who follows threads by opening them, writing in them or being mentioned. Other channels cost one query per process. A
 * record lost in a crash is added by the user's next message in the thread.
 */
export function createFollowing({ node, follows }: FollowOptions) {
  /** By channel; null: not a thread. */
  const places = new Map<string, Known | null>();
  /** When followers were last recorded, by `thread:user`. Repeated, because followed threads are sorted by it and expire after it. */
  const notedAtMs = new Map<string, number>();

  const placeOf = async (channelId: string): Promise<Known | null> => {
    const known = places.get(channelId);
    if (known !== undefined) return known;
    const [thread] = (await node.services.channel.findThreads({ channelIds: [channelId] })).channels;
    const place =
      thread === undefined
        ? null
        : {
            threadId: thread.id,
            parentId: thread.parentId!,
            groupId: thread.groupId!,
            ownerId: thread.ownerId,
          };
    if (places.size >= PLACE_CACHE_SIZE) places.clear();
    places.set(channelId, place);
    return place;
  };

  return async ({ channelId, groupId, messages }: DomainEvents["message.stored"]): Promise<void> => {
    if (groupId === null) return;
    const thread = await placeOf(channelId);
    if (thread === null) return;
    const { ownerId, ...place } = thread;
    const userIds = new Set(messages.flatMap((one) => [one.authorId, ...(one.mentions?.userIds ?? [])]));
    // Only at first: messages of others don't extend how long they follow it.
    if (ownerId !== null && !notedAtMs.has(`${channelId}:${ownerId}`)) userIds.add(ownerId);
    const nowMs = Date.now();
    const fresh = [...userIds].filter(
      (userId) => nowMs - (notedAtMs.get(`${channelId}:${userId}`) ?? 0) >= FOLLOW_RECORD_MS,
    );
    if (fresh.length === 0) return;
    const added = await follows.add(place, fresh);
    await boundedMap(added, QUERY_CONCURRENCY, async (userId) => {
      const access = await node.access.get(userId, { channelId });
      if (can(access, "view")) node.publish(userRoom(userId), "thread.followed", { channelId });
    });
    if (notedAtMs.size >= FOLLOW_CACHE_SIZE) notedAtMs.clear();
    for (const userId of fresh) notedAtMs.set(`${channelId}:${userId}`, nowMs);
  };
}

/** Keys of messages that mention a user, based on the current groups and roles of the user. */
export interface OwnMentionKeys {
  all: readonly string[];
  /** The keys that can occur in channels of this group; null: in direct channels. */
  in(groupId: string | null): string[];
}

interface Place {
  groupId: string;
  roleIds: readonly string[];
}

export async function ownMentionKeys(
  { node: { services }, settings }: InboxDependencies,
  userId: string,
): Promise<OwnMentionKeys> {
  const [{ places }, suppressed] = await Promise.all([
    services.group.listPlaces({ userId }),
    settings.listSuppressed(userId),
  ]);
  return mentionKeys(userId, places, suppressed);
}

/** @param suppressed groups whose @everyone mentions are ignored */
export function mentionKeys(
  userId: string,
  places: readonly Place[],
  suppressed: ReadonlySet<string>,
): OwnMentionKeys {
  const own = mentionKey.user(userId);
  const ofGroups = new Map(
    places.map(({ groupId, roleIds }) => [
      groupId,
      [...(suppressed.has(groupId) ? [] : [mentionKey.all(groupId)]), ...roleIds.map(mentionKey.role)],
    ]),
  );
  return {
    all: [own, ...[...ofGroups.values()].flat()],
    in: (groupId) => [own, ...(groupId === null ? [] : (ofGroups.get(groupId) ?? []))],
  };
}
