import type { Message, UnreadChannel } from "@fanfare/contract";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import { changed, withList, without } from "./lists.ts";
import type { On } from "./live-on.ts";

const PAGING = { param: "cursor", next: "nextCursor", list: "channels" } as const;

/** What is unread in a place. */
export interface Unread {
  /** Messages; own ones that were sent from elsewhere too. */
  messages: number;
  /** Messages that mention the user: at most 100, which is 100 or more. */
  mentions: number;
}

const NOTHING: Unread = { messages: 0, mentions: 0 };

/** The channels of all groups and the direct ones in which something is unread. Threads are not among them. */
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

/** Of everything: for the title of the page. */
export function useTotalUnread(): Unread {
  return useUnread(sum).data ?? NOTHING;
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

export function listenUnread(cache: ServerCache, on: On): void {
  const { client } = cache;
  on("message.created", ({ channelId, messages }) => {
    const last = messages.at(-1);
    if (last === undefined || cache.queries.getQueryState(["channel.listUnread", {}]) === undefined) return;
    const isHeld = cache
      .read("channel.listUnread", {})
      ?.channels.some((held) => held.channelId === channelId);
    heard(cache, channelId, last);
    // Of a channel in which nothing was unread it is not known what it belongs to, nor whether it is a thread.
    if (isHeld !== true || messages.some((message) => mayMention(message, client.user?.id))) {
      cache.refetchSoon("channel.listUnread");
    }
  });
  on("message.changed", ({ message }) => {
    if (message.mentions !== undefined || message.editedAt !== null) doubtMentions(cache, message);
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
    if (channel.kind !== "thread") cache.refetchSoon("channel.listUnread");
  });
  on("group.joined", () => cache.refetchSoon("channel.listUnread"));
  on("group.left", ({ groupId }) => drop(cache, (channel) => channel.groupId === groupId));
  on("group.deleted", ({ groupId }) => drop(cache, (channel) => channel.groupId === groupId));
  on("notification.updated", ({ setting }) => {
    if (setting.channelId === null) cache.refetchSoon("channel.listUnread");
  });
}

function mayMention({ mentions, authorId }: Message, ownId: string | undefined): boolean {
  return mentions !== undefined && authorId !== ownId;
}

/** A mention may have come or gone with the message, if it is unread. */
function doubtMentions(cache: ServerCache, { channelId, seq }: Message): void {
  const channel = cache.read("channel.listUnread", {})?.channels.find((held) => held.channelId === channelId);
  if (channel !== undefined && seq > channel.lastReadSeq) cache.refetchSoon("channel.listUnread");
}

function heard(cache: ServerCache, channelId: string, { seq, rev }: Pick<Message, "seq" | "rev">): void {
  cache.patch("channel.listUnread", (answer) =>
    withList(
      answer,
      "channels",
      changed(
        answer.channels,
        (channel) => channel.channelId === channelId && (channel.head.seq < seq || channel.head.rev < rev),
        (channel) => ({
          ...channel,
          head: { seq: Math.max(channel.head.seq, seq), rev: Math.max(channel.head.rev, rev) },
        }),
      ),
    ),
  );
}

function hearRead(cache: ServerCache, channelId: string, lastReadSeq: number): void {
  let isMentionCountOpen = false;
  cache.patch("channel.listUnread", (answer) => {
    const read = changed(
      answer.channels,
      (channel) => channel.channelId === channelId && channel.lastReadSeq < lastReadSeq,
      (channel) => {
        isMentionCountOpen ||= channel.mentionCount > 0 && channel.head.seq > lastReadSeq;
        return { ...channel, lastReadSeq };
      },
    );
    return withList(
      answer,
      "channels",
      without(read, ({ head, ...channel }) => head.seq <= channel.lastReadSeq),
    );
  });
  if (isMentionCountOpen) cache.refetchSoon("channel.listUnread");
}

function drop(cache: ServerCache, isGone: (channel: UnreadChannel) => boolean): void {
  cache.patch("channel.listUnread", (answer) =>
    withList(answer, "channels", without(answer.channels, isGone)),
  );
}
