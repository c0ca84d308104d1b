import type { NodeContext } from "@fanfare/kernel";
import { CHANNELS_TO_REMOVE, LATE_WRITE_MS, REMOVALS_PER_BATCH } from "./bounds.ts";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { MessageRepository } from "./message.repository.ts";

interface ChannelRemovalOptions {
  messages: Pick<MessageRepository, "deleteSome">;
  /** What belongs to the messages and readers of a channel. */
  others: readonly { deleteSome(channelId: string, limit: number): Promise<number> }[];
  heads: Pick<ChannelHeadRepository, "delete">;
  /** Forgets what is remembered of a channel in this process. */
  forget: (channelId: string) => void;
}

export type ChannelRemoval = ReturnType<typeof defineChannelRemoval>;

/** The job that deletes what belongs to a removed channel, twice: the second time when no write from before can come in any more. */
export function defineChannelRemoval(
  { jobs }: Pick<NodeContext, "jobs">,
  { messages, others, heads, forget }: ChannelRemovalOptions,
) {
  return jobs.define<{ requestedAt: Date }>("message.removeChannel", {
    maxWaiting: CHANNELS_TO_REMOVE,
    run: async ({ key: channelId, payload: { requestedAt }, signal }) => {
      const beganAt = new Date();
      for (const owned of [messages, ...others]) {
        while ((await owned.deleteSome(channelId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH)
          signal.throwIfAborted();
      }
      await heads.delete(channelId);
      forget(channelId);
      const lastWriteAt = new Date(requestedAt.getTime() + LATE_WRITE_MS);
      return beganAt < lastWriteAt ? { againAt: lastWriteAt } : undefined;
    },
  });
}
