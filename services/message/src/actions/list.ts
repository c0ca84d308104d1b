import { LIMITS, type Message } from "@fanfare/contract";
import { AnswerBudget, type Handler, type Request } from "@fanfare/kernel";
import { takeInto } from "../message.presenter.ts";
import type { MessageRepository } from "../message.repository.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

interface Page {
  messages: Message[];
  hasMore: boolean;
}

export function list({ messages }: MessageDependencies): Handler<"message.list"> {
  return async ({ params }) => {
    // First the head, then the page: the page has every change up to the head.
    const head = await messages.head(params.channelId);
    const { atTime } = params;
    const around =
      atTime === undefined ? params.around : await seqAt(messages, params.channelId, head.seq, atTime);
    const page = await readPage(messages, { ...params, around });
    return { ...page, head };
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
): Promise<Page> {
  const older = (beforeSeq: number, count: number, budget: AnswerBudget) =>
    readOlder(messages, channelId, beforeSeq, count, budget);
  const newer = (fromSeq: number, count: number, budget: AnswerBudget) =>
    readNewer(messages, channelId, fromSeq, count, budget);
  if (after !== undefined) return newer(after + 1, limit, new AnswerBudget());
  if (around === undefined) return older(before ?? Number.MAX_SAFE_INTEGER, limit, new AnswerBudget());

  // Each side has half of the page and of its bytes; where the channel ends on one side, the other fills the page.
  const ofOlder = new AnswerBudget(LIMITS.answerMaxBytes / 2);
  const ofNewer = new AnswerBudget(LIMITS.answerMaxBytes / 2);
  const [olderHalf, newerHalf] = await Promise.all([
    older(around, Math.floor(limit / 2), ofOlder),
    newer(around, Math.ceil(limit / 2), ofNewer),
  ]);
  const found = [...olderHalf.messages, ...newerHalf.messages];
  const missing = limit - found.length;
  if (missing > 0 && olderHalf.hasMore && !newerHalf.hasMore) {
    const rest = await older(olderHalf.messages[0]?.seq ?? around, missing, ofOlder);
    return { messages: [...rest.messages, ...found], hasMore: rest.hasMore };
  }
  if (missing > 0 && newerHalf.hasMore && !olderHalf.hasMore) {
    const rest = await newer(newerHalf.messages.at(-1)!.seq + 1, missing, ofNewer);
    return { messages: [...found, ...rest.messages], hasMore: rest.hasMore };
  }
  return { messages: found, hasMore: olderHalf.hasMore || newerHalf.hasMore };
}

/** Up to `limit` messages below a seq, the nearest ones, in the order of seq. */
async function readOlder(
  messages: MessageRepository,
  channelId: string,
  beforeSeq: number,
  limit: number,
  budget: AnswerBudget,
): Promise<Page> {
  const page: Message[] = [];
  if (limit === 0) return { messages: page, hasMore: true };
  const end = await messages.scanBefore(channelId, beforeSeq, limit, takeInto(page, budget));
  return { messages: page.toReversed(), hasMore: end !== "end" };
}

/** Up to `limit` messages from a seq on, in the order of seq. */
async function readNewer(
  messages: MessageRepository,
  channelId: string,
  fromSeq: number,
  limit: number,
  budget: AnswerBudget,
): Promise<Page> {
  const page: Message[] = [];
  const end = await messages.scanFrom(channelId, fromSeq, limit, takeInto(page, budget));
  return { messages: page, hasMore: end !== "end" };
}
