import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  type KeyboardEvent,
  useState,
} from "react";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import type { Row } from "./rows.ts";
import type { Scroll } from "./use-scroll.ts";
import type { Rows } from "./use-rows.ts";
import { messageElementId } from "../item/message-item.tsx";
import { showFailure } from "../../../ui/feedback.tsx";

const HIGHLIGHT_MS = 2500;

type Place = Parameters<ChannelMessages["jumpTo"]>[0];

export interface Jump {
  highlightedId: string | null;
  /** Never rejects; failures are shown to the user. */
  jump: (place: Place) => void;
  /** Whether the messages have come and the list hasn't scrolled to them yet. */
  isLanding: () => boolean;
  cancel: () => void;
}

interface JumpState {
  highlightedId: string | null;
  /** Scrolled to as soon as the list shows its part of the channel. */
  pendingSeq: number | null;
}

const NOWHERE: JumpState = { highlightedId: null, pendingSeq: null };

function merge(state: JumpState, changes: Partial<JumpState>): JumpState {
  return { ...state, ...changes };
}

/** Jumps to a message, a seq or a time anywhere in the channel. */
export function useJump(
  { messages, jumpTo }: Pick<ChannelMessages, "messages" | "jumpTo">,
  { rows, isFinished }: Pick<Rows, "rows" | "isFinished">,
  toRow: Scroll["toRow"],
): Jump {
  const [{ highlightedId, pendingSeq }, change] = useReducer(merge, NOWHERE);
  // Not only a state: scrolling can end before it is rendered.
  const landing = useRef(false);
  const firstSeq = messages[0]?.seq ?? Infinity;
  const lastSeq = messages.at(-1)?.seq ?? 0;

  useLayoutEffect(() => {
    // Rows after the place can be there before those of the place itself.
    if (pendingSeq === null || !isFinished || firstSeq > pendingSeq || lastSeq < pendingSeq) return;
    const next = rows.findIndex((row) => row.kind === "message" && row.message.seq >= pendingSeq);
    // A message that was deleted in the meantime has no row.
    const index = next >= 0 ? next : rows.findLastIndex(({ kind }) => kind === "message");
    landing.current = false;
    if (index >= 0) toRow(index, "center");
    change({ pendingSeq: null, highlightedId: rows[index]?.key ?? null });
  }, [rows, isFinished, firstSeq, lastSeq, pendingSeq, toRow]);

  useEffect(() => {
    if (highlightedId === null) return undefined;
    const timer = setTimeout(() => change({ highlightedId: null }), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [highlightedId]);

  const land = useCallback((seq: number | null) => {
    landing.current = seq !== null;
    change({ pendingSeq: seq });
  }, []);
  const jump = useCallback(
    (place: Place) => {
      jumpTo(place).then((seq) => (seq === null ? undefined : land(seq)), showFailure);
    },
    [jumpTo, land],
  );
  const isLanding = useCallback(() => landing.current, []);
  const cancel = useCallback(() => land(null), [land]);
  return { highlightedId, jump, isLanding, cancel };
}

export type MessageKey =
  | "edit"
  | "reply"
  | "thread"
  | "forward"
  | "select"
  | "react"
  | "pin"
  | "markUnread"
  | "save"
  | "copy"
  | "remove";

const KEYS: Readonly<Record<string, MessageKey>> = {
  e: "edit",
  r: "reply",
  t: "thread",
  f: "forward",
  x: "select",
  " ": "select",
  "+": "react",
  p: "pin",
  u: "markUnread",
  s: "save",
  c: "copy",
  Delete: "remove",
  Backspace: "remove",
};

interface ListKeysOptions {
  rows: readonly Row[];
  show: (index: number) => void;
  onKey: (messageId: string, key: MessageKey) => void;
  /** Esc returns the focus to the composer. */
  onLeave: () => void;
}

interface ListKeys {
  /** The list's tab stop: the last focused message, or the newest one. */
  activeId: string | null;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: (event: { target: EventTarget }) => void;
}

/** Arrow keys, Home and End move between messages; letters run an action on the focused one. */
export function useListKeys({ rows, show, onKey, onLeave }: ListKeysOptions): ListKeys {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const isHeld = rows.some(({ key }) => key === chosenId);
  const activeId = isHeld ? chosenId : (rows.findLast(({ kind }) => kind === "message")?.key ?? null);

  const focus = (index: number) => {
    const row = rows[index];
    if (row?.kind !== "message") return;
    setChosenId(row.key);
    show(index);
    // The row may only be rendered in the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        document.getElementById(messageElementId(row.key))?.focus({ preventScroll: true });
      }),
    );
  };

  const step = (from: number, by: 1 | -1) => {
    for (let index = from + by; index >= 0 && index < rows.length; index += by) {
      if (rows[index]!.kind === "message") return focus(index);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || target.dataset["messageId"] === undefined) return;
    const messageId = target.dataset["messageId"];
    const index = rows.findIndex((row) => row.key === messageId);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain) return;
    const action = KEYS[key];
    if (key === "ArrowUp") step(index, -1);
    else if (key === "ArrowDown") step(index, 1);
    else if (key === "Home") step(-1, 1);
    else if (key === "End") step(rows.length, -1);
    else if (key === "Escape") onLeave();
    else if (action !== undefined) onKey(messageId, action);
    else return;
    event.preventDefault();
  };

  const onFocus = ({ target }: { target: EventTarget }) => {
    const message = target instanceof Element ? target.closest<HTMLElement>("[data-message-id]") : null;
    const id = message?.dataset["messageId"];
    if (id !== undefined) setChosenId(id);
  };

  return { activeId, onKeyDown, onFocus };
}
