import type { Message, MessageContext } from "@fanfare/contract";

export interface FoundWithNeighbors extends Omit<MessageContext, "messageId"> {
  message: Message;
}

/**
 * The results with the messages just before and after each. A neighbor that is the result above or below, or that the result above
 * shows, isn't shown again.
 */
export function withNeighbors(
  messages: readonly Message[],
  context: readonly MessageContext[],
): FoundWithNeighbors[] {
  const byId = new Map(context.map((one) => [one.messageId, one]));
  const shown: FoundWithNeighbors[] = [];
  for (const [index, message] of messages.entries()) {
    const above = shown.at(-1);
    const near = new Set([above?.message.id, above?.before?.id, messages[index + 1]?.id]);
    const { before = null, after = null } = byId.get(message.id) ?? {};
    const ifNew = (one: typeof before) => (one === null || near.has(one.id) ? null : one);
    shown.push({ message, before: ifNew(before), after: ifNew(after) });
  }
  return shown;
}
