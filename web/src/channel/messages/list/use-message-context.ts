import type { Channel, Message, Role } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useMember } from "../../../data/members.ts";
import { useChannelPermissions, usePlainChannel, useRoles } from "../../../data/groups.ts";
import { placePath } from "../../../routes.ts";
import { useSame } from "../../../shared/hooks.ts";
import type { MessageContextValue } from "./use-rows.ts";
import { LIMITS } from "@fanfare/contract/limits";
import { lex, plainText } from "../markdown/lex.ts";
import { showFailure } from "../../../ui/feedback.tsx";

const NO_IDS: readonly string[] = [];
const NO_ROLES: readonly Role[] = [];

type Options = Pick<MessageContextValue, "channel" | "view" | "jumpTo" | "ask" | "setReacting" | "onUser">;

export function useMessageContextValue(options: Options): MessageContextValue {
  // All messages of the list are rendered again when it changes.
  const channel = usePlainChannel(options.channel);
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
  return useSame({ ...options, channel, permissions, ownId, coloredRoles, mentionsMe, openThread });
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
        showFailure,
      );
    },
    [call, navigate, channelId, groupId],
  );
}

/** Enough to recognize the thread, and short enough for a list. */
const MAX_CHARS = Math.min(60, LIMITS.channelNameMaxChars);
/** Mentions are left out because names can change. */
const TOKEN = /<(?:@&?|#)[0-9a-f]{24}>/g;

/** Control characters and bidirectional overrides, which names can't contain. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** The default name of a thread: the beginning of its root message; empty if the message has no text. */
export function threadNameOf(message: Pick<Message, "attachments" | "cards" | "content">): string {
  const { content, attachments } = message;
  const said = plainText(lex(content === "" ? textOf(message) : content))
    .replace(TOKEN, "")
    .replace(NOT_IN_NAMES, " ")
    .replace(/\s+/g, " ")
    .trim();
  const text = said === "" ? (attachments?.[0]?.name ?? "") : said;
  if (text.length <= MAX_CHARS) return text;
  // Drops half a surrogate pair at the end.
  const cut = text.slice(0, MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.trimEnd()}…`;
}
