import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { create } from "zustand";
import type { StoredMessage } from "./outbox-store.ts";

/** What `view.send` takes besides the text. */
export type SendOptions = NonNullable<Parameters<ChannelView["send"]>[1]>;

/** A message that could not be sent, shown until it is sent again or deleted. */
export interface UnsentMessage {
  readonly message: StoredMessage;
  readonly error: unknown;
}

/** What somebody is about to do in a channel. */
export interface Conversation {
  /** What the next message answers. */
  readonly replyTo: Message | null;
  /** The own message whose text is being changed. */
  readonly editingId: string | null;
  readonly unsent: readonly UnsentMessage[];
}

const NOTHING: Conversation = { replyTo: null, editingId: null, unsent: [] };

const useConversations = create<Readonly<Record<string, Conversation>>>(() => ({}));

export function useConversation(channelId: string): Conversation {
  return useConversations((all) => all[channelId] ?? NOTHING);
}

/** The same as it is now, for what is no component. */
export function getConversation(channelId: string): Conversation {
  return useConversations.getState()[channelId] ?? NOTHING;
}

export function setReplyTo(channelId: string, replyTo: Message | null): void {
  change(channelId, () => ({ replyTo }));
}

export function setEditing(channelId: string, editingId: string | null): void {
  change(channelId, () => ({ editingId }));
}

/** Shows a message as not sent; the outbox keeps and bounds them. */
export function addUnsent(channelId: string, failed: UnsentMessage): void {
  change(channelId, ({ unsent }) => ({
    unsent: [...unsent.filter(({ message }) => message.nonce !== failed.message.nonce), failed],
  }));
}

export function removeUnsent(channelId: string, nonce: string): void {
  change(channelId, ({ unsent }) => ({ unsent: unsent.filter(({ message }) => message.nonce !== nonce) }));
}

/**
 * Begins to edit the newest own message. Does nothing while a newer one is on its way or could not be sent: another than the one
 * that is meant would open. Returns whether it has begun.
 */
export function editLastOwn(view: ChannelView, ownId: string): boolean {
  if (view.snapshot.pending.length > 0 || getConversation(view.channelId).unsent.length > 0) return false;
  const last = view.snapshot.messages.findLast(
    ({ authorId, deletedAt, as }) => authorId === ownId && deletedAt === null && as === undefined,
  );
  if (last !== undefined) setEditing(view.channelId, last.id);
  return last !== undefined;
}

export function forgetConversations(): void {
  useConversations.setState({}, true);
}

function change(channelId: string, next: (now: Conversation) => Partial<Conversation>): void {
  useConversations.setState((all) => {
    const now = all[channelId] ?? NOTHING;
    return { [channelId]: { ...now, ...next(now) } };
  });
}
