import { LIMITS, type Call, type Message } from "@fanfare/contract";
import { chunks } from "./chunks.ts";

/** The newest messages that mention any of the keys, however many they are. */
export async function newestMentions(
  call: Call,
  keys: readonly string[],
  before: string | undefined,
  limit: number,
): Promise<Message[]> {
  const position = before === undefined ? {} : { before };
  const byId = new Map<string, Message>();
  for (const some of chunks(keys, LIMITS.mentionKeysPerLookup)) {
    const { messages } = await call("message.listMentions", { keys: some, limit, ...position });
    for (const message of messages) byId.set(message.id, message);
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}
