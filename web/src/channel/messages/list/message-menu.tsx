import type { Message } from "@fanfare/contract";
import { type MouseEvent, type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { ContextMenu } from "../../../ui/menu.tsx";
import { cx } from "../../../ui/cx.ts";
import { Sheet } from "../../../ui/dialog.tsx";
import { useIsPhone } from "../../../ui/hooks.ts";
import { useMessageMenu, useMessageActions } from "../item/use-message-actions.ts";
import { showFailure } from "../../../ui/feedback.tsx";

/** Common reactions, offered without loading all emoji. */
const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "😢"];

interface MessageMenuProps {
  messageOf: (messageId: string) => Message | undefined;
  /** The list. One menu serves all its messages. */
  children: ReactElement;
}

/** Opened by right click or the menu key, on phones by a long press. */
export function MessageMenu(props: MessageMenuProps) {
  return useIsPhone() ? <SheetMenu {...props} /> : <PointerMenu {...props} />;
}

function PointerMenu({ messageOf, children }: MessageMenuProps) {
  const menuOf = useMessageMenu();
  const [message, setMessage] = useState<Message | null>(null);
  const aim = (event: MouseEvent) => {
    const found = isForBrowser(event) ? undefined : messageOf(messageIdAt(event.target));
    // Leaves the event to the browser's menu.
    if (found === undefined) event.stopPropagation();
    else setMessage(found);
  };
  return (
    <div className="contents" onContextMenuCapture={aim}>
      <ContextMenu items={message === null ? [] : menuOf(message)}>{children}</ContextMenu>
    </div>
  );
}

function SheetMenu({ messageOf, children }: MessageMenuProps) {
  const [message, setMessage] = useState<Message | null>(null);
  const open = (event: MouseEvent) => {
    event.preventDefault();
    const found = messageOf(messageIdAt(event.target));
    if (found !== undefined) setMessage(found);
  };
  return (
    <div
      // A long press opens the sheet; otherwise the browser would also select a word and open its own menu.
      className="contents select-none [-webkit-touch-callout:none]"
      onContextMenu={open}
    >
      {children}
      {message !== null && <MessageSheet message={message} onClose={() => setMessage(null)} />}
    </div>
  );
}

function messageIdAt(target: EventTarget): string {
  if (!(target instanceof Element)) return "";
  return target.closest<HTMLElement>("[data-message-id]")?.dataset["messageId"] ?? "";
}

/** Whether the browser's own menu is more useful: on links, images, fields and selected text. */
function isForBrowser({ target }: MouseEvent): boolean {
  if (!(target instanceof Element)) return true;
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(target, true);
  return isSelected || target.closest("a, img, video, audio, textarea, input") !== null;
}

function MessageSheet({ message, onClose }: { message: Message; onClose: () => void }) {
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
