import type { Message } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import type { TFunction } from "i18next";
import { Copy, History, Link, MessageSquareText, Pencil, Pin, PinOff, Reply, Trash2 } from "lucide-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { placePath } from "../../../routes.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import { showToast, showFailure } from "../../../ui/feedback.tsx";
import { setEditing, setReplyTo } from "../conversation.ts";
import { type MessageContextValue, useMessageContext } from "../list/use-rows.ts";

/** The actions available on a message. Missing ones aren't offered. */
export interface MessageActions {
  reply?: () => void;
  react: boolean;
  edit?: () => void;
  thread?: () => void;
  pin?: () => void;
  copyText?: () => void;
  copyLink: () => void;
  showHistory?: () => void;
  remove?: () => void;
}

/** @returns a function that stays the same until the channel's state changes */
export function useMessageActions(): (message: Message) => MessageActions {
  const context = useMessageContext();
  const { t } = useTranslation("messages");
  const call = useCall();
  return useCallback(
    (message) => {
      const copy = (text: string) => {
        navigator.clipboard
          ?.writeText(text)
          .then(() => showToast({ text: t("action.copied"), tone: "good" }), showFailure);
      };
      const { channelId, id: messageId, pinnedAt } = message;
      const togglePin = () => {
        call(pinnedAt === undefined ? "message.pin" : "message.unpin", { channelId, messageId }).catch(
          showFailure,
        );
      };
      return actionsOf(message, context, { copy, togglePin });
    },
    [context, call, t],
  );
}

interface ActionHandlers {
  copy: (text: string) => void;
  togglePin: () => void;
}

function actionsOf(
  message: Message,
  context: MessageContextValue,
  { copy, togglePin }: ActionHandlers,
): MessageActions {
  const { channel, permissions, ownId, ask, openThread } = context;
  const { id, content, authorId, editedAt } = message;
  const isOwn = authorId === ownId && message.as === undefined;
  const isDirect = channel.groupId === null;
  const maySend = hasPermission(permissions, "sendMessages");
  const canManage = hasPermission(permissions, "manageMessages");
  const link = location.origin + placePath(channel.groupId, channel.id, { message: id });
  return {
    react: hasPermission(permissions, "addReactions"),
    copyLink: () => copy(link),
    ...(content !== "" && { copyText: () => copy(content) }),
    ...(maySend && { reply: () => setReplyTo(channel.id, message) }),
    ...(maySend && isOwn && { edit: () => setEditing(channel.id, id) }),
    ...(maySend && channel.kind === "text" && { thread: () => openThread(message) }),
    ...((canManage || isDirect) && { pin: togglePin }),
    ...(editedAt !== null &&
      (isOwn || canManage) && { showHistory: () => ask({ kind: "history", message }) }),
    ...((isOwn || canManage) && { remove: () => ask({ kind: "delete", message }) }),
  };
}

export function useMessageMenu(): (message: Message) => MenuItem[] {
  const { t } = useTranslation("messages");
  const actionsFor = useMessageActions();
  return useCallback((message) => menuOf(message, actionsFor(message), t), [actionsFor, t]);
}

function menuOf(message: Message, actions: MessageActions, t: TFunction<"messages">): MenuItem[] {
  const { reply, edit, thread, pin, copyText, copyLink, showHistory, remove } = actions;
  const items: MenuItem[] = [];
  if (reply) items.push({ label: t("action.reply"), icon: Reply, onSelect: reply, shortcut: "R" });
  if (edit) items.push({ label: t("action.edit"), icon: Pencil, onSelect: edit, shortcut: "E" });
  if (thread) {
    const label = message.threadId === undefined ? t("action.startThread") : t("action.openThread");
    items.push({ label, icon: MessageSquareText, onSelect: thread, shortcut: "T" });
  }
  if (pin) {
    const isPinned = message.pinnedAt !== undefined;
    const label = isPinned ? t("action.unpin") : t("action.pin");
    items.push({ label, icon: isPinned ? PinOff : Pin, onSelect: pin, shortcut: "P" });
  }
  if (items.length > 0) items.push("separator");
  if (copyText) items.push({ label: t("action.copyText"), icon: Copy, onSelect: copyText, shortcut: "C" });
  items.push({ label: t("action.copyLink"), icon: Link, onSelect: copyLink });
  if (showHistory) items.push({ label: t("action.history"), icon: History, onSelect: showHistory });
  if (remove) {
    const label = t("action.delete");
    items.push("separator", {
      label,
      icon: Trash2,
      onSelect: remove,
      danger: true,
      shortcut: t("key.delete"),
    });
  }
  return items;
}
