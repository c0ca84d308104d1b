import type { ChannelState, Message, UnreadChannel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import { crowdOf } from "./groups.ts";
import { heldChannel } from "./open-channels.ts";
import { changed, withItem, without } from "./lookup.ts";
import type { On } from "./connection.ts";

const PAGING = { param: "cursor", next: "nextCursor", list: "channels" } as const;

/** What is unread in a place. */
export interface Unread {
  /** Messages; own ones that were sent from elsewhere too. */
  messages: number;
  /** Messages that mention the user: at most 100, which is 100 or more. */
  mentions: number;
}

const NOTHING: Unread = { messages: 0, mentions: 0 };

/** The channels of all groups, the threads that the user takes part in, and the direct channels, in which something is unread. */
export function useUnreadChannels(): UseQueryResult<UnreadChannel[]> {
  return useUnread((channels) => channels);
}

export function useChannelUnread(channelId: string): Unread {
  return (
    useUnread((channels) => sum(channels.filter((channel) => channel.channelId === channelId))).data ??
    NOTHING
  );
}

/** Of all channels of a group together; null: of all direct channels. */
export function useGroupUnread(groupId: string | null): Unread {
  return (
    useUnread((channels) => sum(channels.filter((channel) => channel.groupId === groupId))).data ?? NOTHING
  );
}

function useUnread<T>(select: (channels: UnreadChannel[]) => T): UseQueryResult<T> {
  const cache = useServerCache();
  return useQuery({
    ...cache.askWhole("channel.listUnread", {}, PAGING),
    select: (answer) => select(answer.channels),
  });
}

function sum(channels: readonly UnreadChannel[]): Unread {
  return {
    messages: channels.reduce((total, { head, lastReadSeq }) => total + head.seq - lastReadSeq, 0),
    mentions: channels.reduce((total, { mentionCount }) => total + mentionCount, 0),
  };
}

/** Mentions of roles and of everybody are counted by the server: not more often than this. */
const RECOUNT_AFTER_MS = 1000;

export function listenUnread(cache: ServerCache, on: On): void {
  const { client } = cache;
  /** Channels that are being asked for. */
  const asked = new Set<string>();
  on("message.created", ({ channelId, messages }) => {
    if (cache.queries.getQueryState(["channel.listUnread", {}]) === undefined) return;
    const isHeld = cache
      .read("channel.listUnread", {})
      ?.channels.some((held) => held.channelId === channelId);
    const channel = heldChannel(cache, channelId);
    if (isHeld !== true && channel?.kind === "thread") {
      hearThread(cache, channel, messages);
    } else if (isHeld === true || channel !== undefined) {
      hearMessages(cache, channel, channelId, messages);
    } else if (!asked.has(channelId)) {
      asked.add(channelId);
      void askWhatItIs(cache, channelId, messages).finally(() => asked.delete(channelId));
    }
    const others = messages.filter(({ authorId }) => authorId !== client.user?.id);
    const groupId = channel?.groupId ?? "";
    if (others.some(mentionsMany)) {
      cache.refetchSoon("channel.listUnread", {}, crowdOf(cache, groupId), RECOUNT_AFTER_MS);
    }
  });
  on("message.changed", ({ message }) => {
    if (message.editedAt !== null) doubtMentions(cache, message);
    heard(cache, message.channelId, message);
  });
  on("message.deleted", ({ message }) => {
    doubtMentions(cache, message);
    heard(cache, message.channelId, message);
  });
  on("reaction.changed", ({ channelId, seq, rev }) => heard(cache, channelId, { seq, rev }));
  on("readMarker.updated", ({ channelId, lastReadSeq }) => hearRead(cache, channelId, lastReadSeq));
  on("channel.deleted", ({ channelId }) => drop(cache, (channel) => channel.channelId === channelId));
  // Channels that are new to the user have a history that was not read.
  on("channel.created", ({ channel }) => {
    if (channel.kind !== "thread")
      cache.refetchSoon("channel.listUnread", {}, crowdOf(cache, channel.groupId ?? ""));
  });
  on("group.joined", () => cache.refetchSoon("channel.listUnread"));
  on("group.left", ({ groupId }) => drop(cache, (channel) => channel.groupId === groupId));
  on("group.deleted", ({ groupId }) => drop(cache, (channel) => channel.groupId === groupId));
  on("notification.updated", ({ setting }) => {
    if (setting.channelId === null) cache.refetchSoon("channel.listUnread");
  });
}

/** Roles and everybody: whether that means the user, and is wanted, only the server says. */
function mentionsMany({ mentions }: Message): boolean {
  return mentions !== undefined && (mentions.everyone || mentions.roleIds.length > 0);
}

function hearMessages(
  cache: ServerCache,
  channel: ChannelState | undefined,
  channelId: string,
  messages: readonly Message[],
): void {
  const last = messages.at(-1);
  const ownId = cache.client.user?.id ?? "";
  if (last === undefined) return;
  const mentionsOf = (afterSeq: number): number =>
    messages.filter(
      ({ seq, authorId, mentions }) =>
        seq > afterSeq && authorId !== ownId && mentions?.userIds.includes(ownId),
    ).length;
  cache.patch("channel.listUnread", (answer) => {
    const held = answer.channels.find((unread) => unread.channelId === channelId);
    const lastReadSeq = held?.lastReadSeq ?? channel?.lastReadSeq ?? last.seq;
    if (last.seq <= Math.max(lastReadSeq, held?.head.seq ?? 0)) return answer;
    const counted = (held?.mentionCount ?? 0) + mentionsOf(Math.max(lastReadSeq, held?.head.seq ?? 0));
    const unread: UnreadChannel = {
      channelId,
      groupId: held?.groupId ?? channel?.groupId ?? null,
      parentId: held?.parentId ?? channel?.parentId ?? null,
      head: { seq: last.seq, rev: Math.max(last.rev, held?.head.rev ?? 0) },
      lastReadSeq,
      mentionCount: Math.min(counted, LIMITS.mentionsCounted),
    };
    return {
      ...answer,
      channels: withItem(answer.channels, unread, (other) => other.channelId === channelId),
    };
  });
}

/** A message came in a channel that nothing was asked of yet. */
async function askWhatItIs(
  cache: ServerCache,
  channelId: string,
  messages: readonly Message[],
): Promise<void> {
  const options = cache.ask("channel.get", { channelId });
  const { channel } = await cache.queries.fetchQuery(options).catch(() => ({ channel: undefined }));
  if (channel?.kind === "thread") hearThread(cache, channel, messages);
  else if (channel !== undefined) cache.refetchSoon("channel.listUnread");
}

/** Whether the user takes part in a thread only the server knows; who has not even read in it is not asked about. */
function hearThread(
  cache: ServerCache,
  { ownerId, lastReadSeq }: ChannelState,
  messages: readonly Message[],
) {
  const ownId = cache.client.user?.id ?? "";
  const isOwn = ({ authorId, mentions }: Message): boolean =>
    authorId === ownId || (mentions?.userIds.includes(ownId) ?? false);
  if (ownerId !== ownId && lastReadSeq === 0 && !messages.some(isOwn)) return;
  // Noted a moment after the message.
  cache.refetchSoon("channel.listUnread", {}, 1, RECOUNT_AFTER_MS);
}

/** A mention may have come or gone with the message, if it is unread. */
function doubtMentions(cache: ServerCache, { channelId, seq, mentions }: Message): void {
  const channel = cache.read("channel.listUnread", {})?.channels.find((held) => held.channelId === channelId);
  if (channel === undefined || seq <= channel.lastReadSeq) return;
  if (channel.mentionCount === 0 && mentions === undefined) return;
  cache.refetchSoon("channel.listUnread", {}, 1, RECOUNT_AFTER_MS);
}

function heard(cache: ServerCache, channelId: string, { seq, rev }: Pick<Message, "seq" | "rev">): void {
  cache.patchList("channel.listUnread", "channels", (channels) =>
    changed(
      channels,
      (channel) => channel.channelId === channelId && (channel.head.seq < seq || channel.head.rev < rev),
      (channel) => ({
        ...channel,
        head: { seq: Math.max(channel.head.seq, seq), rev: Math.max(channel.head.rev, rev) },
      }),
    ),
  );
}

function hearRead(cache: ServerCache, channelId: string, lastReadSeq: number): void {
  let isMentionCountOpen = false;
  cache.patchList("channel.listUnread", "channels", (channels) => {
    const read = changed(
      channels,
      (channel) => channel.channelId === channelId && channel.lastReadSeq < lastReadSeq,
      (channel) => {
        isMentionCountOpen ||= channel.mentionCount > 0 && channel.head.seq > lastReadSeq;
        return { ...channel, lastReadSeq };
      },
    );
    return without(read, ({ head, ...channel }) => head.seq <= channel.lastReadSeq);
  });
  if (isMentionCountOpen) cache.refetchSoon("channel.listUnread");
}

function drop(cache: ServerCache, isGone: (channel: UnreadChannel) => boolean): void {
  cache.patchList("channel.listUnread", "channels", (channels) => without(channels, isGone));
}
