import type { Channel, Override, Result } from "@fanfare/contract";
import {
  DIRECT_PERMISSIONS,
  hasPermission,
  NO_PERMISSIONS,
  type PermissionName,
} from "@fanfare/contract/permissions";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { ON_OPEN, useAsk } from "./data-context.ts";
import { crowdOf } from "./groups.ts";
import type { Effects } from "./per-cache.ts";

/** What the user may in the group, and in each channel of it that he sees: bits. */
export function useMyPermissions(groupId: string): UseQueryResult<Result<"group.myPermissions">> {
  return useAsk("group.myPermissions", { groupId });
}

/** Whether the user may do something in the group; false until it is known. */
export function useCanInGroup(groupId: string, name: PermissionName): boolean {
  const { data } = useMyPermissions(groupId);
  return data !== undefined && hasPermission(data.permissions, name);
}

/** What the user may in a channel, bits: in a thread what he may in its parent. Nothing until it is known. */
export function useChannelPermissions(channel: Pick<Channel, "id" | "groupId" | "parentId">): number {
  const { id, groupId, parentId } = channel;
  const { data } = useAsk("group.myPermissions", { groupId: groupId ?? "" }, { enabled: groupId !== null });
  if (groupId === null) return DIRECT_PERMISSIONS;
  const place = parentId ?? id;
  return data?.channels.find(({ channelId }) => channelId === place)?.permissions ?? NO_PERMISSIONS;
}

export function useCanInChannel(
  channel: Pick<Channel, "id" | "groupId" | "parentId">,
  name: PermissionName,
): boolean {
  return hasPermission(useChannelPermissions(channel), name);
}

export function listenPermissions(cache: ServerCache, on: On): void {
  const { client } = cache;
  const doubt = (groupId: string | null): void => {
    if (groupId !== null) cache.refetchSoon("group.myPermissions", { groupId }, crowdOf(cache, groupId));
  };
  on("role.updated", ({ role }) => doubt(role.groupId));
  on("role.deleted", ({ groupId }) => doubt(groupId));
  on("group.updated", ({ group }) => doubt(group.id));
  on("member.updated", ({ member }) => {
    if (member.userId === client.user?.id) doubt(member.groupId);
  });
  on("channel.created", ({ channel }) => {
    if (channel.kind !== "thread") doubt(channel.groupId);
  });
  on("channel.updated", ({ channel }) => {
    if (channel.kind !== "thread") doubt(channel.groupId);
  });
  on("channel.deleted", ({ groupId, channelId }) => {
    if (groupId === null) return;
    cache.patch(
      "group.myPermissions",
      (answer) => ({
        ...answer,
        channels: answer.channels.filter((channel) => channel.channelId !== channelId),
      }),
      { groupId },
    );
  });
  on("group.left", ({ groupId }) => cache.drop("group.myPermissions", { groupId }));
  on("group.deleted", ({ groupId }) => cache.drop("group.myPermissions", { groupId }));
}

/** What a channel allows and denies, to whom. */
export function useOverrides(channelId: string): UseQueryResult<Override[]> {
  return useAsk("channel.listOverrides", { channelId }, { ...ON_OPEN, select: ({ overrides }) => overrides });
}

export function listenOverrides(cache: ServerCache, on: On): void {
  on("channel.updated", ({ channel }) =>
    cache.refetchSoon("channel.listOverrides", { channelId: channel.id }),
  );
}

const answered = {
  after(cache: ServerCache, { channelId }: { channelId: string }, { overrides }: { overrides: Override[] }) {
    cache.put("channel.listOverrides", { channelId }, { overrides });
  },
};

export const overrideEffects: Effects = {
  "channel.setOverride": answered,
  "channel.removeOverride": answered,
};
