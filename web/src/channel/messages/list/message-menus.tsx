import type { Message } from "@fanfare/contract";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { cx } from "../../../ui/cx.ts";
import { Sheet } from "../../../ui/dialog.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { ContextMenu } from "../../../ui/menu.tsx";
import { useMessageActions } from "../item/use-message-actions.ts";
import { useMessageMenu } from "../item/use-message-menu.ts";

/* The menus of messages, which are loaded when the first one is opened. */

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
    <ContextMenu
      items={items}
      finalFocus={() => (before.current instanceof HTMLElement ? before.current : null)}
    >
      <span ref={trigger} hidden />
    </ContextMenu>
  );
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
        <div className="flex justify-between px-1" role="group" aria-label={t("action.react")}>
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
