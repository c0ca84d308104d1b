import type { Channel, ChannelState, Params } from "@fanfare/contract";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { byPosition } from "./channel-order.ts";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { CHANNEL_LISTS } from "./manifest.ts";
import { useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { changed, withItem, without } from "./lookup.ts";

/** A channel that was made longer ago than this has a history when one is let into it, and a private one may have. */
const NEW_WITHIN_MS = 60_000;

/** The sections and text channels of a group that the user sees, by their position. See channel-order.ts for the tree. */
export function useChannels(groupId: string): UseQueryResult<ChannelState[]> {
  return useQuery({ ...askChannels(useServerCache(), groupId), select: selectChannels });
}

/** How to ask for all channels of a group that the user sees. */
export function askChannels(cache: ServerCache, groupId: string) {
  return cache.askWhole(
    "channel.list",
    { groupId },
    { param: "afterChannelId", next: "nextChannelId", list: "channels" },
  );
}

/** Any channel that the user sees: of a group, direct, or a thread. */
export function useChannelState(channelId: string): UseQueryResult<ChannelState> {
  return useAsk("channel.get", { channelId }, { select: ({ channel }) => channel });
}

function selectChannels({ channels }: { channels: ChannelState[] }): ChannelState[] {
  return channels.toSorted(byPosition);
}

/** Changes a channel wherever it is held. */
function patchChannel(
  cache: ServerCache,
  channelId: string,
  change: (channel: ChannelState) => ChannelState,
): void {
  const isMeant = ({ id }: Channel): boolean => id === channelId;
  for (const name of CHANNEL_LISTS)
    cache.patchList(name, "channels", (channels) => changed(channels, isMeant, change));
  cache.patch("channel.get", (answer) => {
    const channel = isMeant(answer.channel) ? change(answer.channel) : answer.channel;
    return channel === answer.channel ? answer : { channel };
  });
}

/** The channel is not seen any more. */
function dropChannel(cache: ServerCache, channelId: string): void {
  for (const name of CHANNEL_LISTS) {
    cache.patchList(name, "channels", (channels) => without(channels, ({ id }) => id === channelId));
  }
  cache.dropAll({ channelId });
}

export function listenChannels(cache: ServerCache, on: On): void {
  on("channel.created", ({ channel }) => {
    putChannel(cache, channel);
    if (channel.groupId !== null && channel.kind !== "thread") addToGroup(cache, channel);
  });
  on("channel.updated", ({ channel }) => putChannel(cache, channel));
  on("channel.deleted", ({ channelId }) => dropChannel(cache, channelId));
  on("channel.reordered", ({ groupId, places }) => {
    const move = moveTo(places);
    patchPlaces(cache, groupId, move);
    cache.patch("channel.get", (answer) => {
      const channel = move(answer.channel);
      return channel === answer.channel ? answer : { channel };
    });
  });
  const heard = (channelId: string, seq: number, rev: number): void => {
    patchChannel(cache, channelId, (channel) => {
      const { head } = channel;
      if (head.seq >= seq && head.rev >= rev) return channel;
      return { ...channel, head: { seq: Math.max(head.seq, seq), rev: Math.max(head.rev, rev) } };
    });
  };
  on("message.created", ({ channelId, messages }) => {
    const last = messages.at(-1);
    if (last !== undefined) heard(channelId, last.seq, last.rev);
  });
  on("message.changed", ({ message }) => heard(message.channelId, message.seq, message.rev));
  on("message.deleted", ({ message }) => heard(message.channelId, message.seq, message.rev));
  on("reaction.changed", ({ channelId, seq, rev }) => heard(channelId, seq, rev));
  on("readMarker.updated", ({ channelId, lastReadSeq }) => {
    patchChannel(cache, channelId, (channel) =>
      channel.lastReadSeq >= lastReadSeq ? channel : { ...channel, lastReadSeq },
    );
  });
  const left = (groupId: string): void => {
    for (const { answer } of cache.held("channel.list", { groupId })) {
      for (const { id } of answer.channels) dropChannel(cache, id);
    }
    cache.drop("channel.list", { groupId });
  };
  on("group.left", ({ groupId }) => left(groupId));
  on("group.deleted", ({ groupId }) => left(groupId));
}

/** Puts a channel where it stands now. */
function moveTo(places: Params<"channel.reorder">["places"]): (channel: ChannelState) => ChannelState {
  const byChannel = new Map(places.map((place) => [place.channelId, place]));
  return (channel) => {
    const place = byChannel.get(channel.id);
    if (place === undefined) return channel;
    const { sectionId, position } = place;
    if (channel.sectionId === sectionId && channel.position === position) return channel;
    return { ...channel, sectionId, position };
  };
}

function patchPlaces(cache: ServerCache, groupId: string, move: ReturnType<typeof moveTo>): void {
  cache.patchList("channel.list", "channels", (channels) => changed(channels, () => true, move), { groupId });
}

function addToGroup(cache: ServerCache, channel: Channel): void {
  const { id, groupId, createdAt, private: isPrivate } = channel;
  if (groupId === null) return;
  const added = { ...channel, head: { seq: 0, rev: 0 }, lastReadSeq: 0 };
  cache.patchList(
    "channel.list",
    "channels",
    (channels) => (channels.some((held) => held.id === id) ? channels : [...channels, added]),
    { groupId },
  );
  const isHeld = cache.held("channel.list", { groupId }).length > 0;
  const isNew = !isPrivate && Date.now() - Date.parse(createdAt) < NEW_WITHIN_MS;
  if (!isHeld || isNew) return;
  cache.client.call("channel.get", { channelId: id }).then(
    ({ channel: { head, lastReadSeq } }) =>
      patchChannel(cache, id, (held) => ({
        ...held,
        head: {
          seq: Math.max(head.seq, held.head.seq),
          rev: Math.max(head.rev, held.head.rev),
        },
        lastReadSeq: Math.max(lastReadSeq, held.lastReadSeq),
      })),
    () => cache.refetchSoon("channel.list", { groupId }),
  );
}

export const channelEffects: Effects = {
  "channel.create": {
    after(cache, { groupId }, { channel }) {
      const state = { ...channel, head: { seq: 0, rev: 0 }, lastReadSeq: 0 };
      cache.patchList(
        "channel.list",
        "channels",
        (channels) => withItem(channels, state, ({ id }) => id === channel.id),
        { groupId },
      );
    },
  },
  "channel.update": { after: (cache, _, { channel }) => putChannel(cache, channel) },
  "channel.delete": { after: (cache, { channelId }) => dropChannel(cache, channelId) },
  "channel.reorder": {
    before(cache, { groupId, places }) {
      patchPlaces(cache, groupId, moveTo(places));
      return () => cache.refetch("channel.list", { groupId });
    },
  },
};

function putChannel(cache: ServerCache, channel: Channel): void {
  patchChannel(cache, channel.id, ({ head, lastReadSeq }) => ({ ...channel, head, lastReadSeq }));
}
