import { LIMITS, isMessageEvent, type Head } from "@fanfare/contract";
import { can, chunks, type NodeContext, toServiceError } from "@fanfare/kernel";
import type { BotDocument, Callback } from "../bot.repository.ts";
import { EVENTS_PER_CALLBACK, INVOCATIONS_PER_STEP } from "../constants.ts";
import type { Cursor, CursorRepository, InvocationRepository } from "./delivery.repository.ts";
import { isHeld } from "../holder.ts";
import { type AnswerOptions, answerWith, deliver, type DeliverOptions, toEvents } from "./deliver.ts";

export interface ChangesOptions extends DeliverOptions, Pick<AnswerOptions, "modals"> {
  node: Pick<NodeContext, "services" | "access" | "logger" | "publish">;
  cursors: CursorRepository;
  invocations: InvocationRepository;
}

export type Subscribed = BotDocument & { callback: Callback };
/** Read before each callback; null: it has ended. Rejects if no further ones may begin. */
type Current = () => Promise<Subscribed | null>;
const NOTHING: Head = { rev: 0, seq: 0 };

/**
 * Delivers pending changes to a bot, in order within each channel. They are read from the message log, starting at the stored
 * cursors, each of which advances after its callback was accepted.
 * @returns whether there may be more
 * @throws {DeliveryError}
 */
export async function deliverChanges(options: ChangesOptions, current: Current): Promise<boolean> {
  const bot = await current();
  if (bot === null || !(await isHeld(options.node, bot))) return false;
  const invoked = await deliverInvocations(options, bot, current);
  if (!readsMessages(bot)) return invoked;
  const behind = await listBehind(options, bot);
  let isMore = invoked;
  for (const cursor of behind) {
    const now = await current();
    if (now === null || !readsMessages(now)) return false;
    isMore = (await deliverChannel(options, now, cursor)) || isMore;
  }
  return isMore;
}

const readsMessages = ({ callback, scopes }: Subscribed): boolean =>
  callback.events.some(isMessageEvent) && scopes.includes("messages.read");

/** Stores the start positions of a new subscription. */
export async function beginCursors(
  options: Pick<ChangesOptions, "cursors"> & { node: Pick<NodeContext, "services"> },
  bot: Subscribed,
): Promise<void> {
  for (const { channelId, head } of await listHeads(options, bot, await seenChannels(options, bot)))
    await options.cursors.begin(cursorOf(bot, channelId, head));
}

async function deliverInvocations(
  options: ChangesOptions,
  bot: Subscribed,
  current: Current,
): Promise<boolean> {
  if (!bot.callback.events.includes("command.invoked")) return false;
  const waiting = await options.invocations.list(bot._id, INVOCATIONS_PER_STEP);
  for (const invocation of waiting) {
    if ((await current()) === null) return false;
    const event = { type: "command.invoked", invocation } as const;
    const response = await deliver(options, bot, bot.callback, invocation.id, [event]);
    await answerWith(options, bot, invocation, response).catch((error: unknown) => {
      const { retryable, type } = toServiceError(error);
      // Delivered again, for the same answer. Slow mode can last longer than an invocation is stored.
      if (retryable && type !== "SLOW_MODE") throw error;
      options.node.logger.warn({ err: error, botId: invocation.botId }, "bot response rejected");
    });
    await options.invocations.remove(invocation.id);
  }
  return waiting.length === INVOCATIONS_PER_STEP;
}

async function deliverChannel(options: ChangesOptions, bot: Subscribed, cursor: Cursor): Promise<boolean> {
  const { node, cursors } = options;
  const { channelId } = cursor;
  const limit = EVENTS_PER_CALLBACK;
  const { messages } = await node.services.message.listChanges({ channelId, afterRev: cursor.rev, limit });
  const last = messages.at(-1);
  if (last === undefined) return false;
  // A new thread is visible as a change of its root message.
  const threadIds = messages.flatMap(({ threadId }) => threadId ?? []);
  const newThreadIds = threadIds.filter((threadId) => isSince(threadId, bot.callback.since));
  for (const threadId of newThreadIds) await cursors.begin(cursorOf(bot, threadId, NOTHING));
  const events = toEvents(messages, cursor.seq, bot.callback.events, bot._id);
  if (events.length > 0) await deliver(options, bot, bot.callback, `${channelId}-${last.rev}`, events);
  await cursors.advance(cursor, {
    rev: last.rev,
    seq: Math.max(cursor.seq, ...messages.map(({ seq }) => seq)),
  });
  return messages.length === limit || newThreadIds.length > 0;
}

/** Channels visible to the bot with undelivered changes. */
async function listBehind(options: ChangesOptions, bot: Subscribed): Promise<Cursor[]> {
  const known = new Map(
    (await options.cursors.list(bot.callback.id)).map((cursor) => [cursor.channelId, cursor as Cursor]),
  );
  const seen = await seenChannels(options, bot);
  const threads = [...known.keys()].filter((channelId) => !seen.has(channelId));
  const visible = new Map(seen);
  for (const channelId of threads)
    if (await sees(options, bot, channelId)) visible.set(channelId, bot.callback.since);
  const behind: Cursor[] = [];
  for (const { channelId, head } of await listHeads(options, bot, visible)) {
    const cursor =
      known.get(channelId) ?? (await begin(options, bot, channelId, visible.get(channelId)!, head));
    if (cursor.rev < head.rev) behind.push(cursor);
  }
  return behind;
}

/** A channel newer than the subscription is delivered from its beginning; one that has just become visible, from its head. */
async function begin(
  { cursors }: ChangesOptions,
  bot: Subscribed,
  channelId: string,
  createdAt: Date,
  head: Head,
): Promise<Cursor> {
  const cursor = cursorOf(bot, channelId, createdAt >= bot.callback.since ? NOTHING : head);
  await cursors.begin(cursor);
  return cursor;
}

async function seenChannels(
  { node }: { node: Pick<NodeContext, "services"> },
  bot: Subscribed,
): Promise<Map<string, Date>> {
  const place = { groupId: bot.groupId, userId: bot._id };
  const { channels } = await node.services.group.listSeenChannels(place);
  return new Map(channels.map(({ channelId, createdAt }) => [channelId, new Date(createdAt)]));
}

async function sees({ node }: ChangesOptions, bot: Subscribed, channelId: string): Promise<boolean> {
  return can(await node.access.get(bot._id, { channelId }), "view");
}

async function listHeads(
  { node }: { node: Pick<NodeContext, "services"> },
  bot: Subscribed,
  channels: ReadonlyMap<string, Date>,
): Promise<{ channelId: string; head: Head }[]> {
  const found = [];
  for (const channelIds of chunks([...channels.keys()], LIMITS.channelsPerGroup))
    found.push(...(await node.services.message.listHeads({ userId: bot._id, channelIds })).heads);
  return found;
}

function cursorOf(bot: Subscribed, channelId: string, { rev, seq }: Head): Cursor {
  return { callbackId: bot.callback.id, botId: bot._id, channelId, rev, seq };
}

/** Ids only contain the second. */
function isSince(id: string, since: Date): boolean {
  return Number.parseInt(id.slice(0, 8), 16) * 1000 >= since.getTime() - 1000;
}
