import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { hasPermission } from "@fanfare/contract/permissions";
import type { TFunction } from "i18next";
import {
  AlarmClock,
  Bookmark,
  BookmarkX,
  CircleDot,
  Copy,
  Eye,
  Flag,
  Forward,
  History,
  Link,
  MessageSquareText,
  Pencil,
  Pin,
  PinOff,
  Reply,
  SquareCheck,
  Trash2,
} from "lucide-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { hasMessages } from "../../../data/groups.ts";
import { useSaved } from "../../../data/inbox.ts";
import { placePath } from "../../../routes.ts";
import { copyAndSay } from "../../../shared/copy.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
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
      const save = () => {
        const done = isSaved
          ? call("saved.remove", { messageId })
          : call("saved.add", { channelId, messageId });
        const text = isSaved ? t("action.unsaved") : t("action.saved");
        done.then(() => showToast({ text, tone: "good" }), showFailure);
      };
      const copyLink = (link: string) => void copyAndSay(link, t("shared:copied"));
      const copyText = (text: string) => void copyAndSay(text, t("shared:copied"), t("shared:copyFailed"));
      return actionsOf(message, context, { copyLink, copyText, togglePin, markUnread, isSaved, save });
    },
    [context, call, t, saved],
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

export function useMessageMenu(): (message: Message) => MenuItem[] {
  const { t } = useTranslation("messages");
  const actionsFor = useMessageActions();
  return useCallback((message) => menuOf(message, actionsFor(message), t), [actionsFor, t]);
}

function menuOf(message: Message, actions: MessageActions, t: TFunction<"messages">): MenuItem[] {
  const { reply, edit, thread, pin, forward, markUnread, isSaved, save, remind, select } = actions;
  const { copyText, copyLink, showReaders, showHistory, report, remove } = actions;
  const items: MenuItem[] = [];
  if (reply) items.push({ label: t("action.reply"), icon: Reply, onSelect: reply, shortcut: "R" });
  if (edit) items.push({ label: t("common:edit"), icon: Pencil, onSelect: edit, shortcut: "E" });
  if (thread) {
    const hasThread = (message.threadId ?? message.replyIn) !== undefined;
    const label = !hasThread ? t("action.startThread") : t("action.openThread");
    items.push({ label, icon: MessageSquareText, onSelect: thread, shortcut: "T" });
  }
  items.push({ label: t("action.forward"), icon: Forward, onSelect: forward, shortcut: "F" });
  if (pin) {
    const isPinned = message.pinnedAt !== undefined;
    const label = isPinned ? t("action.unpin") : t("action.pin");
    items.push({ label, icon: isPinned ? PinOff : Pin, onSelect: pin, shortcut: "P" });
  }
  items.push(
    { label: t("action.markUnread"), icon: CircleDot, onSelect: markUnread, shortcut: "U" },
    {
      label: isSaved ? t("action.unsave") : t("action.save"),
      icon: isSaved ? BookmarkX : Bookmark,
      onSelect: save,
      shortcut: "S",
    },
    { label: t("action.remind"), icon: AlarmClock, onSelect: remind },
    { label: t("action.select"), icon: SquareCheck, onSelect: select, shortcut: "X" },
    "separator",
  );
  if (copyText) items.push({ label: t("action.copyText"), icon: Copy, onSelect: copyText, shortcut: "C" });
  items.push({ label: t("common:copyLink"), icon: Link, onSelect: copyLink });
  items.push({ label: t("action.readers"), icon: Eye, onSelect: showReaders });
  if (showHistory) items.push({ label: t("action.history"), icon: History, onSelect: showHistory });
  if (report || remove) items.push("separator");
  if (report) items.push({ label: t("action.report"), icon: Flag, onSelect: report, danger: true });
  if (remove) {
    const label = t("common:delete");
    items.push({
      label,
      icon: Trash2,
      onSelect: remove,
      danger: true,
      shortcut: t("ui:keys.delete"),
    });
  }
  return items;
}
