import type { Channel, Message, Role } from "@fanfare/contract";
import { useCallback } from "react";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useAsk, useServerCache } from "../../../data/data-context.ts";
import { useChannelPermissions } from "../../../data/permissions.ts";
import { placePath } from "../../../routes.ts";
import { errorText } from "../../../shared/use-action.ts";
import { useSame } from "../../../shared/hooks.ts";
import { showToast } from "../../../ui/toast.tsx";
import { threadNameOf } from "../../threads/thread-name.ts";
import type { MessageContextValue } from "./use-rows.ts";

const NOBODY: readonly string[] = [];
const NO_ROLES: readonly Role[] = [];

type Options = Pick<MessageContextValue, "channel" | "view" | "jumpTo" | "ask" | "setReacting" | "onUser">;

/** What the messages of a list need to know; its functions have to stay the same. */
export function useMessageContextValue(options: Options): MessageContextValue {
  const { channel } = options;
  const ownId = useServerCache().client.user?.id ?? "";
  const permissions = useChannelPermissions(channel);
  const { groupId } = channel;
  const enabled = groupId !== null;
  const { data: coloredRoles = NO_ROLES } = useAsk(
    "role.list",
    { groupId: groupId ?? "" },
    { enabled, select: selectColored },
  );
  const { data: ownRoleIds = NOBODY } = useAsk(
    "group.getMember",
    { groupId: groupId ?? "", userId: ownId },
    { enabled, select: selectRoleIds },
  );
  const mentionsMe = useCallback(
    ({ mentions, authorId }: Message): boolean => {
      if (mentions === undefined || authorId === ownId) return false;
      if (mentions.everyone || mentions.userIds.includes(ownId)) return true;
      return mentions.roleIds.some((id) => ownRoleIds.includes(id));
    },
    [ownId, ownRoleIds],
  );
  const openThread = useOpenThread(channel);
  return useSame({ ...options, permissions, ownId, coloredRoles, mentionsMe, openThread });
}

function useOpenThread({ id: channelId, groupId }: Channel): (message: Message) => void {
  const call = useCall();
  const [, navigate] = useLocation();
  return useCallback(
    (message) => {
      const open = (thread: string) => navigate(placePath(groupId, channelId, { thread }));
      if (message.threadId !== undefined) return open(message.threadId);
      const name = threadNameOf(message);
      const named = name === "" ? {} : { name };
      call("channel.openThread", { channelId, messageId: message.id, ...named }).then(
        ({ channel }) => open(channel.id),
        (error: unknown) => showToast({ text: errorText(error), tone: "danger" }),
      );
    },
    [call, navigate, channelId, groupId],
  );
}

function selectColored({ roles }: { roles: Role[] }): Role[] {
  return roles.filter(({ color }) => color !== null).toReversed();
}

function selectRoleIds({ member }: { member: { roleIds: string[] } }): string[] {
  return member.roleIds;
}
