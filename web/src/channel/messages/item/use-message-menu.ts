import type { Message } from "@fanfare/contract";
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
import type { MenuItem } from "../../../ui/menu.tsx";
import { type MessageActions, useMessageActions } from "./use-message-actions.ts";

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
