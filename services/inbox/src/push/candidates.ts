import { setTimeout as wait } from "node:timers/promises";
import {
  LIMITS,
  markdownOf,
  type Message,
  parseMentions,
  type Services,
  textOf,
  userOfRoom,
} from "@fanfare/contract";
import { keywordKeys, keywordPattern } from "@fanfare/contract/notification-rules";
import { boundedMap, chunks, type DomainEvents, type NodeContext } from "@fanfare/kernel";
import {
  MASS_MENTION_TIME_SHARE,
  MAX_QUEUED_MASS_MENTIONS,
  MEMBERS_PER_PAGE,
  QUERY_CONCURRENCY,
  QUEUE_PAUSE_MS,
  KEYS_PER_BATCH,
  KEYWORD_USERS_PER_BATCH,
  USERS_PER_BATCH,
} from "../constants.ts";
import type { PreferencesDocument, PreferencesRepository } from "../preferences.repository.ts";
import type { SettingDocument, SettingRepository } from "../setting.repository.ts";

export type MessagePlace = Pick<DomainEvents["message.stored"], "channelId" | "groupId">;

/** A message that mentions everyone or a role, and the position in the list of members. */
interface MassMention extends MessagePlace {
  groupId: string;
  message: Message;
  everyone: boolean;
  afterUserId: string | null;
  looked: number;
}

interface MassMentionsOptions {
  node: Pick<NodeContext, "services" | "jobs">;
  push: (place: MessagePlace, candidates: Candidate[]) => Promise<void>;
  /** Whether the push queue is nearly full. */
  isBusy: () => boolean;
}

/** Pushes mentions of everyone and of roles, as jobs: one page of members at a time, with a pause after each. */
export function createMassMentions({ node, push, isBusy }: MassMentionsOptions) {
  const jobs = node.jobs.define<MassMention>("inbox.pushMention", {
    maxWaiting: MAX_QUEUED_MASS_MENTIONS,
    run: async ({ key, payload: mention, signal }) => {
      while (isBusy()) await wait(QUEUE_PAUSE_MS, undefined, { signal });
      const startedAtMs = performance.now();
      const { groupId, message, everyone, afterUserId } = mention;
      const mentions = message.mentions!;
      const page = await node.services.group.listMemberIds({
        groupId,
        roleIds: everyone ? null : mentions.roleIds,
        afterUserId,
        limit: MEMBERS_PER_PAGE,
      });
      const excluded = new Set([message.authorId, ...mentions.userIds]);
      const userIds = page.userIds.filter((userId) => !excluded.has(userId));
      const reason = everyone ? "everyone" : "role";
      await push(
        mention,
        userIds.map((userId) => ({ userId, message, reason })),
      );
      const looked = mention.looked + MEMBERS_PER_PAGE;
      if (page.nextUserId === null || looked >= LIMITS.membersPerMentionPush) return;
      await jobs.enqueue(key, { ...mention, afterUserId: page.nextUserId, looked });
      await wait((performance.now() - startedAtMs) * (1 / MASS_MENTION_TIME_SHARE - 1), undefined, {
        signal,
      }).catch(() => {});
    },
  });

  return {
    /** Resolves when the jobs are stored. */
    async add(
      { channelId, groupId, messages }: DomainEvents["message.stored"],
      /** False: only mentions of roles. */
      withEveryone: boolean,
    ): Promise<void> {
      if (groupId === null) return;
      for (const message of messages) {
        const everyone =
          withEveryone && message.mentions?.everyone === true && meansEveryone(markdownOf(message));
        if (!everyone && (message.mentions?.roleIds.length ?? 0) === 0) continue;
        if (jobs.isFull) continue;
        const start = { afterUserId: null, looked: 0 };
        await jobs.enqueue(message.id, { channelId, groupId, message, everyone, ...start });
      }
    },
  };
}

const HERE = /(?<![\w@.])@here(?![\w@])/g;

/** @here only addresses users who are online, and those get no pushes. */
function meansEveryone(content: string): boolean {
  return parseMentions(content.replaceAll(HERE, "")).everyone;
}

export interface Candidate {
  userId: string;
  message: Message;
  reason: Reason;
}

type Stored = DomainEvents["message.stored"];

interface CandidateSources {
  node: NodeContext;
  /** null: without users who want notifications for all messages. */
  settings: SettingRepository | null;
  preferences: PreferencesRepository;
}

/**
 * Users who may be notified of a batch of messages: members of a direct channel, mentioned users, those with a keyword in it, and
 * those who want notifications for all messages. The cost doesn't depend on the size of the group: @everyone and role mentions are
 * handled by `createMassMentions`. Users with only a keyword come last, so they are dropped first if there are too many.
 */
export async function pushCandidates(
  { node, settings, preferences }: CandidateSources,
  { channelId, groupId, messages }: Stored,
): Promise<Candidate[]> {
  if (groupId === null) {
    const direct = await directCandidates(node, channelId, messages);
    const userIds = [...new Set(direct.map(({ userId }) => userId))];
    const keywords = await keywordCandidates(messages, (keys) =>
      preferences.listByKeys(keys, USERS_PER_BATCH, userIds),
    );
    const known = new Set(direct.map(keyOf));
    return firstOfEach([...keywords.filter((one) => known.has(keyOf(one))), ...direct]).filter(wasNotInCall);
  }
  const keywords = await keywordCandidates(messages, async (keys) => {
    const found = await preferences.listByKeys(keys, KEYWORD_USERS_PER_BATCH, null);
    return viewersAmong(node.services, channelId, found);
  });
  const eager = settings === null ? [] : await settings.listEager([groupId, channelId], USERS_PER_BATCH);
  const named = messages.flatMap((message) =>
    (message.mentions?.userIds ?? []).map((userId) => ({ userId, message, reason: "mention" as const })),
  );
  const others = messages.flatMap((message) =>
    eager.map((userId) => ({ userId, message, reason: "any" as const })),
  );
  const isFirst = new Set([...named, ...others].map(({ userId }) => userId));
  return firstOfEach([...named, ...keywords, ...others])
    .filter(({ userId, message }) => userId !== message.authorId)
    .filter(wasNotInCall)
    .toSorted((a, b) => Number(isFirst.has(b.userId)) - Number(isFirst.has(a.userId)));
}

type KeywordUser = Pick<PreferencesDocument, "_id" | "keywords" | "keywordKeys">;

async function viewersAmong(
  { group }: Services,
  channelId: string,
  users: readonly KeywordUser[],
): Promise<KeywordUser[]> {
  const viewers = await boundedMap(chunks(users, MEMBERS_PER_PAGE), 1, async (some) => {
    const { userIds } = await group.findViewers({ channelId, userIds: some.map(({ _id }) => _id) });
    const isViewer = new Set(userIds);
    return some.filter(({ _id }) => isViewer.has(_id));
  });
  return viewers.flat();
}

const wasNotInCall = ({ userId, message }: Candidate): boolean =>
  message.call?.participantUserIds.includes(userId) !== true;

const keyOf = ({ userId, message }: Candidate): string => `${message.id}:${userId}`;

/** One candidate per message and user. */
function firstOfEach(candidates: readonly Candidate[]): Candidate[] {
  const byKey = new Map<string, Candidate>();
  for (const one of candidates) if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), one);
  return [...byKey.values()];
}

/** Users with a keyword in one of the messages. */
async function keywordCandidates(
  messages: readonly Message[],
  listUsers: (keys: string[]) => Promise<KeywordUser[]>,
): Promise<Candidate[]> {
  const keysOf = new Map(messages.map((message) => [message, new Set(keywordKeys(textOf(message)))]));
  const keys = [...new Set([...keysOf.values()].flatMap((some) => [...some]))].slice(0, KEYS_PER_BATCH);
  if (keys.length === 0) return [];
  const users = await listUsers(keys);
  return users.flatMap(({ _id: userId, keywords = [], keywordKeys: own = [] }) => {
    const pattern = keywordPattern(keywords)!;
    return messages
      .filter((message) => own.some((key) => keysOf.get(message)!.has(key)))
      .filter((message) => textOf(message).search(pattern) >= 0)
      .map((message) => ({ userId, message, reason: "keyword" as const }));
  });
}

async function directCandidates(
  { access }: NodeContext,
  channelId: string,
  messages: readonly Message[],
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const message of messages) {
    // The rooms of a direct channel are those of its users.
    const { rooms } = await access.get(message.authorId, { channelId });
    const userIds = rooms.map(userOfRoom).filter((id) => id !== null && id !== message.authorId);
    candidates.push(...userIds.map((userId) => ({ userId: userId!, message, reason: "direct" as const })));
  }
  return candidates;
}

/** Why a user would be notified of a message. */
export type Reason = "direct" | "mention" | "keyword" | "role" | "everyone" | "any" | "reminder";
export type Setting = Pick<SettingDocument, "level" | "mutedUntil" | "suppressEveryone" | "hidden">;

/** Those whose settings allow a notification of a message in this place. */
export async function filterWanted(
  settings: SettingRepository,
  { channelId, groupId }: MessagePlace,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const userIds = [...new Set(candidates.map(({ userId }) => userId))];
  const found = await settings.findFor(userIds, groupId === null ? [channelId] : [channelId, groupId]);
  const nowMs = Date.now();
  return candidates.filter(({ userId, reason }) =>
    wantsNotification(reason, found.get(`${userId}:${groupId}`), found.get(`${userId}:${channelId}`), nowMs),
  );
}

/** Without those whose author the user has blocked, or the other way round. */
export async function filterBlocked(
  services: Services,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const byAuthor = Map.groupBy(candidates, ({ message }) => message.authorId);
  const blocked = await boundedMap([...byAuthor], QUERY_CONCURRENCY, async ([authorId, some]) => {
    const userIds = [...new Set(some.map(({ userId }) => userId))];
    const lists = await boundedMap(chunks(userIds, LIMITS.usersPerLookup), 1, (part) =>
      services.user.listBlockedAmong({ userId: authorId, userIds: part }),
    );
    return lists.flatMap((list) => list.userIds.map((userId) => `${authorId}:${userId}`));
  });
  const pairs = new Set(blocked.flat());
  return candidates.filter(({ userId, message }) => !pairs.has(`${message.authorId}:${userId}`));
}

/** Whether a user's settings allow a notification. @param setting undefined: default settings */
export function wantsNotification(
  reason: Reason,
  group: Setting | undefined,
  channel: Setting | undefined,
  nowMs: number,
): boolean {
  if ([group, channel].some((setting) => (setting?.mutedUntil?.getTime() ?? 0) > nowMs)) return false;
  const chosen = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  if (chosen === "nothing") return false;
  const level = channel?.hidden === true ? "mentions" : chosen;
  // Users who want all messages are notified anyway, and must not be notified twice.
  if (reason === "role") return level === "mentions";
  if (reason === "everyone") return level === "mentions" && group?.suppressEveryone !== true;
  return level === "all" || reason === "mention" || reason === "keyword";
}
