import type { DomainEvents } from "@fanfare/kernel";
import type { ActivityRepository } from "./activity.repository.ts";

const FLUSH_MS = 1000;
/** Channels that wait to be noted; of further ones the activity is noted with their next message. */
const MAX_WAITING = 10_000;
/** Channels that are known to be listed in another order than that of their activity. */
const MAX_ORDINARY = 50_000;

export interface ActivityOptions {
  repository: ActivityRepository;
  onError: (error: unknown) => void;
  flushMs?: number;
}

export type Activity = ReturnType<typeof createActivity>;

/**
 * Notes when something was last written in direct channels and threads, which are listed in that order: gathered for a second,
 * beside the way of a message. What is lost with a process is made good by the next message.
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
    heard({ channelId, messages }: DomainEvents["message.stored"]): void {
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
