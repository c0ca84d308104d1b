import type { Message } from "@fanfare/contract";
import {
  Ellipsis,
  MessageSquareText,
  Pencil,
  Reply,
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
  Pin,
  PinOff,
  SquareCheck,
  Trash2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { useEffect, useRef, useCallback } from "react";
import type { TFunction } from "i18next";
import { IconButton } from "../../../ui/button.tsx";
import { Menu, ContextMenu, type MenuItem } from "../../../ui/menu.tsx";
import { useMessageContext } from "./use-rows.ts";
import { ReactionPicker } from "../item/reactions.tsx";
import { useMessageActions, type MessageActions } from "../item/use-message-actions.ts";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { cx } from "../../../ui/cx.ts";
import { Sheet } from "../../../ui/dialog.tsx";
import { showFailure } from "../../../ui/feedback.tsx";

/** Of the message that is pointed at or has the focus. */
export function MessageToolbar({ message, isReacting }: { message: Message; isReacting: boolean }) {
  const { t } = useTranslation("messages");
  const { react, reply, edit, thread } = useMessageActions()(message);
  const { setReacting } = useMessageContext();
  const items = useMessageMenu()(message);
  return (
    <div
      role="toolbar"
      aria-label={t("action.toolbar")}
      className="absolute -top-4 end-3 z-1 flex rounded-md border border-line bg-raised p-0.5 shadow-raised"
    >
      {react && (
        <ReactionPicker
          message={message}
          open={isReacting}
          onOpenChange={(isOpen) => setReacting(isOpen ? message.id : null)}
        />
      )}
      {reply && <IconButton icon={Reply} size="sm" label={t("action.reply")} onClick={reply} />}
      {edit && <IconButton icon={Pencil} size="sm" label={t("common:edit")} onClick={edit} />}
      {!edit && thread && (
        <IconButton icon={MessageSquareText} size="sm" label={t("threads:title")} onClick={thread} />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={t("common:more")} />} items={items} />
    </div>
  );
}

/** Common reactions, offered without loading all emoji. */
const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "😢"];

export interface MenuPlace {
  message: Message;
  /** Of the pointer in the window. */
  x: number;
  y: number;
}

/** Opens at each new place. */
export function MessagePointerMenu({ place }: { place: MenuPlace }) {
  const items = useMessageMenu()(place.message);
  const trigger = useRef<HTMLSpanElement>(null);
  const before = useRef<Element>(null);
  useEffect(() => {
    before.current = document.activeElement;
    const at = { clientX: place.x, clientY: place.y };
    trigger.current?.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, ...at }));
  }, [place]);
  return (
    <ContextMenu items={items} finalFocus={() => focusAfterMenu(before.current)}>
      <span ref={trigger} hidden />
    </ContextMenu>
  );
}

/** False if an action has moved the focus, such as to the message field. */
function focusAfterMenu(before: Element | null): HTMLElement | false | null {
  const { activeElement } = document;
  const isMoved = activeElement !== document.body && activeElement?.closest("[role=menu]") === null;
  if (isMoved) return false;
  return before instanceof HTMLElement ? before : null;
}

export function MessageSheet({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { react } = useMessageActions()(message);
  const items = useMessageMenu()(message);
  const toggle = useToggleReaction();
  const add = (emoji: string) => {
    onClose();
    toggle(message, emoji, false).catch(showFailure);
  };
  return (
    <Sheet onClose={onClose} title={t("action.toolbar")}>
      {react && (
        <div className="mb-1 flex justify-between px-1" role="group" aria-label={t("action.react")}>
          {QUICK.map((emoji) => (
            <button
              key={emoji}
              type="button"
              className="flex size-12 items-center justify-center rounded-full bg-hover font-emoji text-2xl"
              onClick={() => add(emoji)}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
      <div className="grid">
        {items.map((item, index) =>
          item === "separator" ? (
            <hr key={`line-${index}`} className="my-1 border-line" />
          ) : (
            <button
              key={item.label}
              type="button"
              className={cx(
                "flex min-h-12 items-center gap-3 rounded-md px-2 text-start",
                item.danger === true && "text-danger-text",
              )}
              onClick={() => {
                onClose();
                item.onSelect();
              }}
            >
              {item.icon && <item.icon size={20} aria-hidden className="shrink-0" />}
              {item.label}
            </button>
          ),
        )}
      </div>
    </Sheet>
  );
}

function useMessageMenu(): (message: Message) => MenuItem[] {
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
