import type { Message } from "@fanfare/contract";
import { AnswerBudget, boundedMap, type Handler } from "@fanfare/kernel";
import { QUERY_CONCURRENCY } from "../bounds.ts";
import { documentId } from "../database.ts";
import { presentMessage, takeInto } from "../message.presenter.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

/** A query of ids for each key, because the index has an order for one key only. The messages are read once it is known which. */
export function listMentions({ messages }: MessageDependencies): Handler<"message.listMentions"> {
  return async ({ params: { keys, before, limit } }) => {
    const found = await boundedMap([...new Set(keys)], QUERY_CONCURRENCY, (key) =>
      messages.idsMentioning(key, before, limit),
    );
    const newest = [...new Set(found.flat())].sort((a, b) => (a < b ? 1 : -1)).slice(0, limit);
    if (newest.length === 0) return { messages: [], hasMore: false };
    const page: Message[] = [];
    const end = await messages.scanMany(newest, takeInto(page, new AnswerBudget()));
    return { messages: page, hasMore: newest.length === limit || end === "refused" };
  };
}

export function getMany({ messages }: MessageDependencies): Handler<"message.getMany"> {
  return async ({ params: { messageIds } }) => {
    const page: Message[] = [];
    const take = takeInto(page, new AnswerBudget());
    let stoppedAt: string | null = null;
    await messages.scanMany(messageIds, (message) => {
      if (message.deletedAt !== null || take(message)) return true;
      stoppedAt = documentId(message);
      return false;
    });
    return { messages: page, stoppedAt };
  };
}

export function listChanges({ messages }: MessageDependencies): Handler<"message.listChanges"> {
  return async ({ params: { channelId, afterRev, limit } }) => {
    const changed = await messages.changedSince(channelId, afterRev, limit);
    return { messages: changed.map(presentMessage) };
  };
}
