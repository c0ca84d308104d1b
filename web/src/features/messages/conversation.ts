import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { create } from "zustand";

/** What `view.send` takes besides the text. */
export type SendOptions = NonNullable<Parameters<ChannelView["send"]>[1]>;

/** A message that could not be sent, kept until it is tried again or given up. */
export interface UnsentMessage {
  readonly id: string;
  readonly content: string;
  readonly options: SendOptions;
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

/** Failed messages of one channel; the oldest is given up beyond this. */
const MAX_UNSENT = 50;

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

/** Sends a message. What fails for good stands in the list, where it can be sent again or given up; this never rejects. */
export async function sendMessage(
  view: ChannelView,
  content: string,
  options: SendOptions = {},
): Promise<void> {
  try {
    await view.send(content, options);
  } catch (error) {
    const failed = { id: crypto.randomUUID(), content, options, error };
    change(view.channelId, ({ unsent }) => ({ unsent: [...unsent, failed].slice(-MAX_UNSENT) }));
  }
}

export function sendAgain(view: ChannelView, { id, content, options }: UnsentMessage): Promise<void> {
  giveUp(view.channelId, id);
  return sendMessage(view, content, options);
}

export function giveUp(channelId: string, unsentId: string): void {
  change(channelId, ({ unsent }) => ({ unsent: unsent.filter(({ id }) => id !== unsentId) }));
}

/** Begins to edit the last own message that is shown. Returns whether there is one. */
export function editLastOwn(view: ChannelView, ownId: string): boolean {
  const last = view.snapshot.messages.findLast(
    ({ authorId, deletedAt, as }) => authorId === ownId && deletedAt === null && as === undefined,
  );
  if (last !== undefined) setEditing(view.channelId, last.id);
  return last !== undefined;
}

/** Forgets everything, when somebody else logs in. */
export function forgetConversations(): void {
  useConversations.setState({}, true);
}

function change(channelId: string, next: (now: Conversation) => Partial<Conversation>): void {
  useConversations.setState((all) => {
    const now = all[channelId] ?? NOTHING;
    return { [channelId]: { ...now, ...next(now) } };
  });
}
