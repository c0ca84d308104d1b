import {
  byPosition,
  channelOf,
  channelsOf,
  emojiOf,
  groupsOf,
  plainChannelsOf,
  rolesOf,
} from "@fanfare/client/store";
import type {
  Channel,
  ChannelState,
  Emoji,
  EmojiKind,
  Group,
  Override,
  Result,
  Role,
} from "@fanfare/contract";
import { useEffect, useMemo } from "react";
import {
  DIRECT_PERMISSIONS,
  hasPermission,
  MEMBER_PERMISSIONS,
  NO_PERMISSIONS,
  type PermissionName,
} from "@fanfare/contract/permissions";
import type { UseQueryResult } from "@tanstack/react-query";
import { type Loaded, useLoaded, useStoreState } from "./store.ts";
import { ON_OPEN, useActionQuery, useServerCache } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import type { ServerCache } from "./cache.ts";

/** The user's groups, oldest first. */
export function useGroups(): Loaded<readonly Group[]> {
  return useLoaded("group.listMine", {}, groupsOf);
}

/** Undefined while loading and for non-members. */
export function useGroup(groupId: string): Group | undefined {
  return useLoaded("group.listMine", {}, ({ groups }) => groups?.[groupId]).data;
}

/** The visible sections and channels of a group, by position. */
export function useChannels(
  groupId: string,
  options?: { enabled?: boolean },
): Loaded<readonly ChannelState[]> {
  return useLoaded("channel.list", { groupId }, (state) => channelsOf(state, groupId), options);
}

/** The same without their numbers, which change with each message. */
export function usePlainChannels(groupId: string): Loaded<readonly Channel[]> {
  return useLoaded("channel.list", { groupId }, (state) => plainChannelsOf(state, groupId));
}

/** A visible channel without its numbers; null if the group has none with this ID, undefined while loading. */
export function useListedChannel(groupId: string, channelId: string): Channel | null | undefined {
  return useLoaded("channel.list", { groupId }, (state) => {
    const isListed = plainChannelsOf(state, groupId)?.some(({ id }) => id === channelId);
    return isListed === true ? state.channels[channelId] : null;
  }).data;
}

/** Whether the channel has messages that the user hasn't read. */
export function useIsUnread(channelId: string): boolean {
  return useStoreState(
    ({ heads, lastReadSeqs }) => (heads[channelId]?.seq ?? 0) > (lastReadSeqs[channelId] ?? 0),
  );
}

export function useChannelsOfGroups(groupIds: readonly string[]): (readonly ChannelState[])[] {
  const { store } = useServerCache();
  const joined = groupIds.join(" ");
  useEffect(() => {
    const ends = joined.split(" ").map((groupId) => groupId && store.retain("channel.list", { groupId }));
    return () => ends.forEach((end) => end && end());
  }, [store, joined]);
  const state = useStoreState((now) => now);
  return groupIds.map((groupId) => channelsOf(state, groupId) ?? []);
}

/** A channel of a group, a direct message or a thread. */
export function useChannelState(channelId: string): Loaded<ChannelState> {
  return useLoaded("channel.get", { channelId }, (state) => channelOf(state, channelId));
}

/** Of a channel that is loaded; otherwise null, as for direct messages. */
export function useGroupIdOf(channelId: string): string | null {
  return useStoreState(({ channels }) => channels[channelId]?.groupId ?? null);
}

/** The channel without its numbers, which change with each message. */
export function usePlainChannel(channel: Channel): Channel {
  return useStoreState(({ channels }) => channels[channel.id]) ?? channel;
}

export const channelEffects: Effects = {
  "channel.reorder": {
    before({ store }, { groupId, places }) {
      const event = { name: "channel.reordered", payload: { groupId, places } } as const;
      return store.applyOptimistically(event, ["channel.list", { groupId }]);
    },
  },
};

/** Text and voice channels. */
export const hasMessages = ({ kind }: Pick<Channel, "kind">): boolean => kind === "text" || kind === "voice";

interface ChannelTree<C extends Channel = Channel> {
  /** Channels without a section. */
  top: C[];
  sections: { section: C; channels: C[] }[];
}

/** Channels in a hidden section are listed at the top. */
export function channelTree<C extends Channel>(channels: readonly C[]): ChannelTree<C> {
  const sorted = channels.toSorted(byPosition);
  const sections = sorted.filter(({ kind }) => kind === "section");
  const known = new Set(sections.map(({ id }) => id));
  const inSections = sorted.filter(hasMessages);
  return {
    top: inSections.filter(({ sectionId }) => sectionId === null || !known.has(sectionId)),
    sections: sections.map((section) => ({
      section,
      channels: inSections.filter(({ sectionId }) => sectionId === section.id),
    })),
  };
}

/** All channels in the order of the sidebar. */
export function channelsInOrder<C extends Channel>(channels: readonly C[]): C[] {
  const { top, sections } = channelTree(channels);
  return [...top, ...sections.flatMap(({ channels: inside }) => inside)];
}

/** Highest first. */
export function useRoles(groupId: string, options?: { enabled?: boolean }): Loaded<readonly Role[]> {
  return useLoaded("role.list", { groupId }, (state) => rolesOf(state, groupId), options);
}

export const roleEffects: Effects = {
  "role.reorder": {
    before({ store }, { groupId, roleIds }) {
      const positions = roleIds.map((roleId, position) => ({ roleId, position }));
      const event = { name: "role.reordered", payload: { groupId, positions } } as const;
      return store.applyOptimistically(event, ["role.list", { groupId }]);
    },
  },
};

/** A group's own emoji, stickers and GIFs, in the order of their names. Never loaded where there is no group. */
export function useGroupEmoji(groupId: string | null): Loaded<readonly Emoji[]> {
  const ofGroup = { groupId: groupId ?? "" };
  const enabled = groupId !== null;
  return useLoaded("emoji.list", ofGroup, (state) => emojiOf(state, ofGroup.groupId), { enabled });
}

/** Only the emoji, by name; empty while loading. */
export function useOwnEmoji(groupId: string | null): ReadonlyMap<string, Emoji> {
  const { data = NO_EMOJI } = useGroupEmoji(groupId);
  return useMemo(() => new Map(data.filter(isOfKind("emoji")).map((one) => [one.name, one])), [data]);
}

const NO_EMOJI: readonly Emoji[] = [];

/** What the browser stored in an earlier version has no kind: then all were emoji. */
export const isOfKind =
  (wanted: EmojiKind) =>
  ({ kind = "emoji" }: Partial<Emoji>): boolean =>
    kind === wanted;

/** The user's permissions in the group and in each visible channel, as bits. */
export function useMyPermissions(
  groupId: string,
  options?: { enabled?: boolean },
): Loaded<Result<"group.myPermissions">> {
  return useLoaded("group.myPermissions", { groupId }, ({ permissions }) => permissions[groupId], options);
}

/** False until permissions are loaded. */
export function useCanInGroup(groupId: string, name: PermissionName): boolean {
  const { data } = useMyPermissions(groupId);
  return data !== undefined && hasPermission(data.permissions, name);
}

/**
 * The user's permissions in a channel, as bits; threads use those of their parent.
 * @param untilLoaded what is assumed until they are loaded, also of a new channel
 */
export function useChannelPermissions(
  { id, groupId, parentId }: Pick<Channel, "id" | "groupId" | "parentId">,
  untilLoaded = NO_PERMISSIONS,
): number {
  const { data } = useMyPermissions(groupId ?? "", { enabled: groupId !== null });
  if (groupId === null) return DIRECT_PERMISSIONS;
  const place = parentId ?? id;
  return data?.channels.find(({ channelId }) => channelId === place)?.permissions ?? untilLoaded;
}

/** Whether the user lacks a permission in a channel; those of members are assumed until they are loaded. */
export function useIsDenied(
  channel: Pick<Channel, "id" | "groupId" | "parentId">,
  name: PermissionName,
): boolean {
  return !hasPermission(useChannelPermissions(channel, MEMBER_PERMISSIONS), name);
}

export function useCanInChannel(
  channel: Pick<Channel, "id" | "groupId" | "parentId">,
  name: PermissionName,
): boolean {
  return hasPermission(useChannelPermissions(channel), name);
}

export function useOverrides(channelId: string): UseQueryResult<Override[]> {
  return useActionQuery(
    "channel.listOverrides",
    { channelId },
    { ...ON_OPEN, select: ({ overrides }) => overrides },
  );
}

const replaceOverrides = {
  after(cache: ServerCache, { channelId }: { channelId: string }, { overrides }: { overrides: Override[] }) {
    cache.put("channel.listOverrides", { channelId }, { overrides });
  },
};

export const overrideEffects: Effects = {
  "channel.setOverride": replaceOverrides,
  "channel.removeOverride": replaceOverrides,
};
