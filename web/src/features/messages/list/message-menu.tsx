import type { Message } from "@fanfare/contract";
import { type MouseEvent, type ReactElement, useRef, useState } from "react";
import { ContextMenu } from "../../../ui/context-menu.tsx";
import { useIsPhone } from "../../../ui/use-media.ts";
import { useMessageMenu } from "../item/use-message-actions.ts";
import { MessageSheet } from "./message-sheet.tsx";
import { useLongPress } from "./use-long-press.ts";

interface MessageMenuProps {
  messageOf: (messageId: string) => Message | undefined;
  /** The list; one menu does for all its messages. */
  children: ReactElement;
}

/** What can be done with a message: by right click or the menu key, on phones by a long press. */
export function MessageMenu(props: MessageMenuProps) {
  return useIsPhone() ? <SheetMenu {...props} /> : <PointerMenu {...props} />;
}

function PointerMenu({ messageOf, children }: MessageMenuProps) {
  const menuOf = useMessageMenu();
  const [message, setMessage] = useState<Message | null>(null);
  const aim = (event: MouseEvent) => {
    const found = isForBrowser(event) ? undefined : messageOf(messageIdAt(event.target));
    // The menu of the browser opens instead.
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
  const frame = useRef<HTMLDivElement>(null);
  useLongPress(frame, (target) => {
    const found = messageOf(messageIdAt(target));
    if (found !== undefined) setMessage(found);
  });
  return (
    <div
      ref={frame}
      // A long press is for the sheet, which copies the text too; the browser would select a word and open its own menu.
      className="contents select-none [-webkit-touch-callout:none]"
      onContextMenu={(event) => event.preventDefault()}
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

/** Of links, pictures, fields and a selected text the browser knows more to do. */
function isForBrowser({ target }: MouseEvent): boolean {
  if (!(target instanceof Element)) return true;
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(target, true);
  return isSelected || target.closest("a, img, video, audio, textarea, input") !== null;
}
