import { LIMITS, type Call, type Message } from "@fanfare/contract";
import { chunks } from "./chunks.ts";

/** The newest messages that mention any of the keys, however many they are, and whether there may be older ones. */
export async function newestMentions(
  call: Call,
  keys: readonly string[],
  before: string | undefined,
  limit: number,
): Promise<{ messages: Message[]; hasMore: boolean }> {
  const position = before === undefined ? {} : { before };
  const byId = new Map<string, Message>();
  /** Older messages than this one may be missing. */
  let completeDownTo = "";
  for (const some of chunks(keys, LIMITS.mentionKeysPerLookup)) {
    const { messages, hasMore } = await call("message.listMentions", { keys: some, limit, ...position });
    for (const message of messages) byId.set(message.id, message);
    const oldest = messages.at(-1)?.id;
    if (hasMore && oldest !== undefined && oldest > completeDownTo) completeDownTo = oldest;
  }
  const newest = [...byId.values()]
    .filter(({ id }) => id >= completeDownTo)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  return { messages: newest.slice(0, limit), hasMore: completeDownTo !== "" || newest.length > limit };
}
