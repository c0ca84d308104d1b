import type { Channel, Message, Role } from "@fanfare/contract";
import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useMember } from "../../../data/members.ts";
import { useChannelPermissions, useRoles } from "../../../data/groups.ts";
import { placePath } from "../../../routes.ts";
import { errorText } from "../../../shared/use-action.ts";
import { useSame } from "../../../shared/hooks.ts";
import { showToast } from "../../../ui/toast.tsx";
import { threadNameOf } from "../../threads/thread-name.ts";
import type { MessageContextValue } from "./use-rows.ts";

const NO_IDS: readonly string[] = [];
const NO_ROLES: readonly Role[] = [];

type Options = Pick<MessageContextValue, "channel" | "view" | "jumpTo" | "ask" | "setReacting" | "onUser">;

/** What the messages of a list need to know; its functions have to stay the same. */
export function useMessageContextValue(options: Options): MessageContextValue {
  const { channel } = options;
  const ownId = useServerCache().client.user?.id ?? "";
  const permissions = useChannelPermissions(channel);
  const { groupId } = channel;
  const enabled = groupId !== null;
  const { data: roles = NO_ROLES } = useRoles(groupId ?? "", { enabled });
  const coloredRoles = useMemo(() => roles.filter(({ color }) => color !== null), [roles]);
  const { data: member } = useMember(groupId ?? "", ownId, { enabled });
  const ownRoleIds = member?.roleIds ?? NO_IDS;
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
