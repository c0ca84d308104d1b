import type { Message } from "@fanfare/contract";
import {
  type MouseEvent,
  type ReactElement,
  useState,
  type RefObject,
  useRef,
  useEffect,
  useMemo,
} from "react";
import { Reply } from "lucide-react";
import { later } from "../../../shared/later.tsx";
import { useIsPhone } from "../../../ui/hooks.ts";
import type { MenuPlace } from "./message-menus.tsx";
import { followFinger, useSwipe } from "../../../ui/swipe.ts";
import {
  MAX_SELECTED,
  type Selected,
  setSelected,
  toggleSelected,
  useConversation,
} from "../conversation.ts";
import type { Row } from "./rows.ts";

const MessagePointerMenu = later(async () => (await import("../../../app/next.ts")).MessagePointerMenu);
const MessageSheet = later(async () => (await import("../../../app/next.ts")).MessageSheet);

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
  const [place, setPlace] = useState<MenuPlace | null>(null);
  const open = (event: MouseEvent) => {
    const message = isForBrowser(event) ? undefined : messageOf(messageIdAt(event.target));
    if (message === undefined) return;
    event.preventDefault();
    setPlace({ message, x: event.clientX, y: event.clientY });
  };
  return (
    <div className="contents" onContextMenu={open}>
      {children}
      {place !== null && <MessagePointerMenu place={place} />}
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

/** Beyond this, a row follows more slowly. */
const FREE_PX = 64;
const SLOWDOWN = 4;

interface SwipeToReplyProps {
  list: RefObject<HTMLElement | null>;
  /** The reply to a message; undefined if the user can't. */
  replyTo: (messageId: string) => (() => void) | undefined;
}

/** Replies to a message that is swiped to where the line begins. Shows a sign where the row has been. */
export function SwipeToReply({ list, replyTo }: SwipeToReplyProps) {
  const sign = useRef<HTMLSpanElement>(null);
  useSwipe(list, "start", (target) => {
    const row = target.closest<HTMLElement>("[data-message-id]");
    const reply = replyTo(row?.dataset["messageId"] ?? "");
    const { current } = sign;
    if (row === null || reply === undefined || current === null) return null;
    const finger = followFinger(row, "start");
    const { top, height } = row.getBoundingClientRect();
    current.style.top = `${top + height / 2 - current.parentElement!.getBoundingClientRect().top}px`;
    return {
      onMove(px, progress) {
        finger.move(px <= FREE_PX ? px : FREE_PX + (px - FREE_PX) / SLOWDOWN);
        current.style.opacity = String(Math.min(1, progress));
        current.toggleAttribute("data-enough", progress >= 1);
      },
      onEnd(isDone) {
        finger.release();
        current.style.opacity = "0";
        if (isDone) reply();
      },
    };
  });
  return (
    <span
      ref={sign}
      aria-hidden
      className="pointer-events-none absolute end-4 flex size-9 -translate-y-1/2 items-center justify-center rounded-full bg-hover text-muted opacity-0 transition-colors data-enough:bg-accent data-enough:text-on-accent"
    >
      <Reply size={20} />
    </span>
  );
}

interface Selection {
  /** Null unless the user selects messages. */
  selected: Selected | null;
  end: () => void;
  /** For the list: a click selects a message, with Shift all from the last selected one on. */
  onClickCapture: (event: MouseEvent) => void;
}

export function useSelection(channelId: string, loaded: readonly Message[], rows: readonly Row[]): Selection {
  const conversation = useConversation(channelId);
  const selected = useMemo(() => latestOf(conversation.selected, loaded), [conversation.selected, loaded]);
  useEffect(() => () => setSelected(channelId, null), [channelId]);
  const onClickCapture = (event: MouseEvent) => {
    if (selected === null || !(event.target instanceof Element)) return;
    const id = event.target.closest<HTMLElement>("[data-message-id]")?.dataset["messageId"];
    const messages = rows.flatMap((row) => (row.kind === "message" ? [row.message] : []));
    const message = messages.find((one) => one.id === id);
    if (message === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey && selected.size > 0) setSelected(channelId, withRange(selected, messages, message));
    else toggleSelected(channelId, message);
  };
  return { selected, end: () => setSelected(channelId, null), onClickCapture };
}

/** The selected messages as they are now, without those that were deleted. */
function latestOf(selected: Selected | null, loaded: readonly Message[]): Selected | null {
  if (selected === null) return null;
  const latest = new Map([
    ...selected,
    ...loaded.flatMap((one) => (selected.has(one.id) ? [[one.id, one] as const] : [])),
  ]);
  return new Map([...latest].filter(([, { deletedAt }]) => deletedAt === null));
}

/** Adds the messages from the last selected one to another. */
export function withRange(selected: Selected, messages: readonly Message[], to: Message): Selected {
  const fromSeq = [...selected.values()].at(-1)?.seq ?? to.seq;
  const next = new Map(selected);
  // Starts with the last selected one, so that those beyond the limit are the ones farther away.
  const nearest = messages.toSorted((a, b) => Math.abs(a.seq - fromSeq) - Math.abs(b.seq - fromSeq));
  const [low, high] = [Math.min(fromSeq, to.seq), Math.max(fromSeq, to.seq)];
  for (const message of nearest) {
    const { id, seq } = message;
    if (seq >= low && seq <= high && next.size < MAX_SELECTED) next.set(id, message);
  }
  return next;
}
