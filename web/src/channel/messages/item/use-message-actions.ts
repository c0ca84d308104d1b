import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { hasPermission } from "@fanfare/contract/permissions";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { hasMessages } from "../../../data/groups.ts";
import { useSaved } from "../../../data/inbox.ts";
import { placePath } from "../../../routes.ts";
import { copyAndSay } from "../../../shared/copy.ts";
import { showToast, showFailure } from "../../../ui/feedback.tsx";
import { setEditing, setReplyTo, toggleSelected } from "../conversation.ts";
import { type MessageContextValue, useMessageContext } from "../list/use-rows.ts";

/** The actions available on a message. Missing ones aren't offered. */
export interface MessageActions {
  reply?: () => void;
  react: boolean;
  edit?: () => void;
  thread?: () => void;
  pin?: () => void;
  markUnread: () => void;
  isSaved: boolean;
  save: () => void;
  remind: () => void;
  forward: () => void;
  select: () => void;
  showReaders: () => void;
  copyText?: () => void;
  copyLink: () => void;
  showHistory?: () => void;
  report?: () => void;
  remove?: () => void;
}

/** @returns a function that stays the same until the channel's state changes */
export function useMessageActions(): (message: Message) => MessageActions {
  const context = useMessageContext();
  const { t } = useTranslation("messages");
  const call = useCall();
  const { data: saved } = useSaved();
  const toggleSaved = useToggleSaved();
  return useCallback(
    (message) => {
      const { channelId, id: messageId, seq, pinnedAt } = message;
      const togglePin = () => {
        call(pinnedAt === undefined ? "message.pin" : "message.unpin", { channelId, messageId }).catch(
          showFailure,
        );
      };
      const markUnread = () => {
        context.view.markUnread(seq).catch(showFailure);
      };
      const isSaved = saved?.[messageId] !== undefined;
      const save = () => toggleSaved(message);
      const copyLink = (link: string) => void copyAndSay(link, t("shared:copied"));
      const copyText = (text: string) => void copyAndSay(text, t("shared:copied"), t("shared:copyFailed"));
      return actionsOf(message, context, { copyLink, copyText, togglePin, markUnread, isSaved, save });
    },
    [context, call, t, saved, toggleSaved],
  );
}

/** Saves a message for later, or removes it if it is saved. Failures are shown as a toast. */
export function useToggleSaved(): (message: Message) => void {
  const { t } = useTranslation("messages");
  const { store } = useServerCache();
  const call = useCall();
  return useCallback(
    ({ channelId, id: messageId }) => {
      const toggle = async () => {
        // Saved again, it would lose its reminder.
        if (!store.isLoaded("saved.list", {})) await store.load("saved.list", {});
        const isSaved = store.state.saved?.[messageId] !== undefined;
        await (isSaved ? call("saved.remove", { messageId }) : call("saved.add", { channelId, messageId }));
        showToast({ text: isSaved ? t("action.unsaved") : t("action.saved"), tone: "good" });
      };
      toggle().catch(showFailure);
    },
    [store, call, t],
  );
}

interface ActionHandlers extends Pick<MessageActions, "markUnread" | "isSaved" | "save"> {
  copyLink: (link: string) => void;
  copyText: (text: string) => void;
  togglePin: () => void;
}

function actionsOf(
  message: Message,
  context: MessageContextValue,
  { copyLink, copyText, togglePin, ...handlers }: ActionHandlers,
): MessageActions {
  const { channel, permissions, ownId, ask, openThread } = context;
  const { id, authorId, editedAt, replyIn } = message;
  const text = textOf(message);
  const ofThread = replyIn === undefined ? message : { ...message, threadId: replyIn };
  const isOwn = authorId === ownId && message.as === undefined;
  const isDirect = channel.groupId === null;
  const maySend = hasPermission(permissions, "sendMessages");
  const canManage = hasPermission(permissions, "manageMessages");
  const link = location.origin + placePath(channel.groupId, channel.id, { message: id });
  return {
    react: hasPermission(permissions, "addReactions"),
    ...handlers,
    remind: () => ask({ kind: "remind", message }),
    forward: () => ask({ kind: "forward", messages: [message] }),
    select: () => toggleSelected(channel.id, message),
    showReaders: () => ask({ kind: "readers", message }),
    copyLink: () => copyLink(link),
    ...(text !== "" && { copyText: () => copyText(text) }),
    ...(maySend && { reply: () => setReplyTo(channel.id, message) }),
    ...(maySend &&
      isOwn &&
      (message.sticker ?? message.call) === undefined && { edit: () => setEditing(channel.id, id) }),
    ...(maySend && hasMessages(channel) && { thread: () => openThread(ofThread) }),
    ...((canManage || isDirect) && { pin: togglePin }),
    ...(editedAt !== null &&
      (isOwn || canManage) && { showHistory: () => ask({ kind: "history", message }) }),
    ...(authorId !== ownId && { report: () => ask({ kind: "report", message }) }),
    ...((isOwn || canManage) && { remove: () => ask({ kind: "delete", message }) }),
  };
}
