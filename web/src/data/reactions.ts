import type { Message, Reaction } from "@fanfare/contract";

/** A message as it is with these reactions. */
export function withReactions(message: Message, rev: number, reactions: Reaction[]): Message {
  const { reactions: _, ...rest } = message;
  return reactions.length === 0 ? { ...rest, rev } : { ...rest, rev, reactions };
}
