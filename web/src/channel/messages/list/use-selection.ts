import type { Message } from "@fanfare/contract";
import { type MouseEvent, useEffect, useMemo } from "react";
import {
  MAX_SELECTED,
  type Selected,
  setSelected,
  toggleSelected,
  useConversation,
} from "../conversation.ts";
import type { Row } from "./rows.ts";

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
