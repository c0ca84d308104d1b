import { defineRepository, type DomainEvents } from "@fanfare/kernel";
import { Types } from "mongoose";
import { channelCollection, type ChannelDocument, isTextOrVoice } from "./channel/channel.model.ts";
import { COUNTER } from "./database.ts";

const FLUSH_MS = 1000;
/** Channels waiting to be flushed. Beyond this, a channel's activity is recorded with its next message. */
const MAX_WAITING = 10_000;
/** Known channels that aren't sorted by activity, so they need no update. */
const MAX_ORDINARY = 50_000;

interface ActivityOptions {
  repository: ActivityRepository;
  onError: (error: unknown) => void;
  flushMs?: number;
}

export type Activity = ReturnType<typeof createActivity>;

/**
 * Records the last activity of direct channels and threads, which are listed by it. Updates are batched for a second to stay off
 * the send path. An update lost in a crash is corrected by the next message.
 */
export function createActivity({ repository, onError, flushMs = FLUSH_MS }: ActivityOptions) {
  const waiting = new Map<string, Date>();
  const ordinary = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const noted = new Map(waiting);
    waiting.clear();
    const listed = await repository.listedByActivity([...noted.keys()]);
    if (ordinary.size + noted.size > MAX_ORDINARY) ordinary.clear();
    for (const channelId of noted.keys()) if (!listed.has(channelId)) ordinary.add(channelId);
    const times = [...noted].filter(([channelId]) => listed.has(channelId));
    if (times.length > 0) await repository.note(new Map(times));
  };

  const flushInBackground = (): void => {
    running = running.then(flush).catch(onError);
  };

  return {
    stored({ channelId, messages }: DomainEvents["message.stored"]): void {
      const last = messages.at(-1);
      if (last === undefined || ordinary.has(channelId)) return;
      if (!waiting.has(channelId) && waiting.size >= MAX_WAITING) return;
      waiting.set(channelId, new Date(last.createdAt));
      timer ??= setTimeout(flushInBackground, flushMs);
    },

    async stop(): Promise<void> {
      clearTimeout(timer);
      if (waiting.size > 0) flushInBackground();
      await running;
    },
  };
}

type ActivityRepository = ReturnType<typeof createActivityRepository>;

/** Queries of the collection channels that maintain `lastActivityAt`. */
export const createActivityRepository = defineRepository(
  channelCollection,
  ({ model: channels, native }) => ({
    /** @returns the channels that are listed by activity */
    async listedByActivity(channelIds: readonly string[]): Promise<Set<string>> {
      const found = await channels.find({ _id: { $in: channelIds } }, { kind: 1 }).lean();
      const listed = found.filter((one) => !isTextOrVoice(one) && one.kind !== "section");
      return new Set(listed.map(({ _id }) => _id));
    },

    async note(times: ReadonlyMap<string, Date>): Promise<void> {
      const operations = [...times].map(([channelId, lastActivityAt]) => ({
        updateOne: { filter: { _id: new Types.ObjectId(channelId) }, update: { $max: { lastActivityAt } } },
      }));
      await native.bulkWrite(operations, { ordered: false, writeConcern: COUNTER });
    },
  }),
);

/** The last entry of a page of channels sorted by activity. */
export interface ActivityCursor {
  lastActivityAt: Date;
  channelId: string;
}

export function activityCursorOf({
  _id,
  lastActivityAt,
}: Pick<ChannelDocument, "_id" | "lastActivityAt">): string {
  return `${lastActivityAt?.getTime() ?? 0}-${_id}`;
}

/** The contract has already validated the format. */
export function parseActivityCursor(cursor: string): ActivityCursor {
  const [ms, channelId] = cursor.split("-") as [string, string];
  return { lastActivityAt: new Date(Number(ms)), channelId };
}

/** The first condition lets the query use an index. */
export function activeBefore({ lastActivityAt, channelId }: ActivityCursor) {
  return {
    lastActivityAt: { $lte: lastActivityAt },
    $or: [{ lastActivityAt: { $lt: lastActivityAt } }, { _id: { $lt: channelId } }],
  };
}
