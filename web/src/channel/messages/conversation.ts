import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { create } from "zustand";
import type { StoredMessage } from "./outbox-store.ts";

/** The options of `view.send`. */
export type SendOptions = NonNullable<Parameters<ChannelView["send"]>[1]>;

/** A message that couldn't be sent, shown until it is retried or deleted. */
export interface UnsentMessage {
  readonly message: StoredMessage;
  readonly error: unknown;
}

/** The messages that a bulk action can have. */
export const MAX_SELECTED = 50;

export type Selected = ReadonlyMap<string, Message>;

/** The state of the composer and the list in a channel. */
export interface Conversation {
  readonly replyTo: Message | null;
  /** The user's message that is being edited. */
  readonly editingId: string | null;
  readonly unsent: readonly UnsentMessage[];
  /** By ID; null unless the user selects messages. */
  readonly selected: Selected | null;
}

const NOTHING: Conversation = { replyTo: null, editingId: null, unsent: [], selected: null };

const useConversations = create<Readonly<Record<string, Conversation>>>(() => ({}));

export function useConversation(channelId: string): Conversation {
  return useConversations((all) => all[channelId] ?? NOTHING);
}

export function useHasUnsent(channelId: string): boolean {
  return useConversations((all) => (all[channelId] ?? NOTHING).unsent.length > 0);
}

/** For use outside components. */
export function getConversation(channelId: string): Conversation {
  return useConversations.getState()[channelId] ?? NOTHING;
}

export function setReplyTo(channelId: string, replyTo: Message | null): void {
  change(channelId, () => ({ replyTo }));
}

export function setEditing(channelId: string, editingId: string | null): void {
  const before = getConversation(channelId).editingId;
  if (before !== null && before !== editingId) editedTexts.delete(before);
  change(channelId, () => ({ editingId }));
}

/**
 * The changed texts of messages that are being edited, by message ID, because the form can be unmounted. Not in the state: typing renders
 * only the form.
 */
export const editedTexts = new Map<string, string>();

export function setSelected(channelId: string, selected: Selected | null): void {
  change(channelId, () => ({ selected }));
}

/** Selects or unselects a message. */
export function toggleSelected(channelId: string, message: Message): void {
  change(channelId, ({ selected }) => {
    const next = new Map(selected);
    if (!next.delete(message.id) && next.size < MAX_SELECTED) next.set(message.id, message);
    return { selected: next };
  });
}

/** Shows a message as failed. The outbox stores these and limits their number. */
export function addUnsent(channelId: string, failed: UnsentMessage): void {
  change(channelId, ({ unsent }) => ({
    unsent: [...unsent.filter(({ message }) => message.nonce !== failed.message.nonce), failed],
  }));
}

export function removeUnsent(channelId: string, nonce: string): void {
  change(channelId, ({ unsent }) => ({ unsent: unsent.filter(({ message }) => message.nonce !== nonce) }));
}

/**
 * Starts editing the user's newest message. Does nothing while a newer one is pending or failed, because it would open an older message
 * than the user expects.
 * @returns whether editing started
 */
export function editLastOwn(view: ChannelView, ownId: string): boolean {
  if (view.snapshot.pending.length > 0 || getConversation(view.channelId).unsent.length > 0) return false;
  const last = view.snapshot.messages.findLast(
    ({ authorId, deletedAt, as, sticker, call }) =>
      authorId === ownId && deletedAt === null && (as ?? sticker ?? call) === undefined,
  );
  if (last !== undefined) setEditing(view.channelId, last.id);
  return last !== undefined;
}

export function clearConversations(): void {
  editedTexts.clear();
  useConversations.setState({}, true);
}

function change(channelId: string, next: (now: Conversation) => Partial<Conversation>): void {
  useConversations.setState((all) => {
    const now = all[channelId] ?? NOTHING;
    return { [channelId]: { ...now, ...next(now) } };
  });
}
