import type { Handler, Request } from "@fanfare/kernel";
import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import type { MessageRepository } from "../message.repository.ts";
import type { Parts } from "../parts.ts";

export function list({ messages }: Parts): Handler<"message.list"> {
  return async ({ params }) => {
    // First the head, then the page: the page has every change up to the head.
    const head = await messages.head(params.channelId);
    const { atTime } = params;
    const around =
      atTime === undefined ? params.around : await seqAt(messages, params.channelId, head.seq, atTime);
    const page = await readPage(messages, { ...params, around });
    return { messages: page.map(presentMessage), head };
  };
}

/** The first message of a time or later: found by halving, for numbers and times grow together. */
export async function seqAt(
  messages: Pick<MessageRepository, "from">,
  channelId: string,
  newest: number,
  time: string,
): Promise<number> {
  const wanted = new Date(time);
  let low = 1;
  let high = newest + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [message] = await messages.from(channelId, middle, 1);
    // Messages that were removed leave holes.
    if (message === undefined || message.createdAt >= wanted) high = middle;
    else low = message.seq + 1;
  }
  return low;
}

async function readPage(
  messages: MessageRepository,
  { channelId, before, after, around, limit }: Omit<Request<"message.list">["params"], "atTime">,
): Promise<MessageDocument[]> {
  if (after !== undefined) return messages.from(channelId, after + 1, limit);
  if (around === undefined) return messages.before(channelId, before ?? Number.MAX_SAFE_INTEGER, limit);
  const [older, newer] = await Promise.all([
    messages.before(channelId, around, limit),
    messages.from(channelId, around, limit),
  ]);
  // Where one side has less than its half, the other fills the page.
  const olderCount = Math.min(older.length, Math.max(Math.floor(limit / 2), limit - newer.length));
  return [...older.slice(older.length - olderCount), ...newer.slice(0, limit - olderCount)];
}
