import { boundedMap, type Handler } from "@fanfare/kernel";
import { documentId } from "../document-id.ts";
import { QUERY_CONCURRENCY } from "../limits.ts";
import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import type { Parts } from "../parts.ts";

/** A query for each key, for the index gives an order for one key only. */
export function listMentions({ messages }: Parts): Handler<"message.listMentions"> {
  return async ({ params: { keys, before, limit } }) => {
    const found = await boundedMap([...new Set(keys)], QUERY_CONCURRENCY, (key) =>
      messages.mentioning(key, before, limit),
    );
    const byId = new Map<string, MessageDocument>();
    for (const message of found.flat()) byId.set(documentId(message), message);
    const newest = [...byId].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, limit);
    return { messages: newest.map(([, message]) => presentMessage(message)) };
  };
}

export function getMany({ messages }: Parts): Handler<"message.getMany"> {
  return async ({ params: { messageIds } }) => {
    const found = await messages.findMany(messageIds);
    return { messages: found.filter(({ deletedAt }) => deletedAt === null).map(presentMessage) };
  };
}

export function listChanges({ messages }: Parts): Handler<"message.listChanges"> {
  return async ({ params: { channelId, afterRev, limit } }) => {
    const changed = await messages.changedSince(channelId, afterRev, limit);
    return { messages: changed.map(presentMessage) };
  };
}
