import type { Handlers, Handler, NodeContext } from "@fanfare/kernel";
import type { MessageDependencies } from "./message.dependencies.ts";
import { MAX_QUEUED_REMOVALS, LATE_WRITE_MS, REMOVALS_PER_BATCH } from "./constants.ts";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { Holds } from "./hold/holds.ts";
import type { MessageRepository } from "./message.repository.ts";

/** Enqueues jobs that delete the messages. */
export function removeChannels(
  { node }: MessageDependencies,
  removal: ChannelRemoval,
): Handler<"message.removeChannels"> {
  return async ({ params: { channelIds } }) => {
    const requestedAt = new Date();
    await Promise.all(channelIds.map((channelId) => removal.enqueue(channelId, { requestedAt })));
    node.broadcast("channel.emptied", { channelIds });
    return {};
  };
}

const BATCH = 1000;

interface ChannelRemovalOptions {
  messages: Pick<MessageRepository, "deleteSome">;
  holds: Pick<Holds, "keep">;
  /** Repositories of data that belongs to a channel's messages and readers. */
  others: readonly { deleteSome(channelId: string, limit: number): Promise<number> }[];
  heads: Pick<ChannelHeadRepository, "delete">;
  /** Drops what this process has cached of a channel. */
  forget: (channelId: string) => void;
}

type ChannelRemoval = ReturnType<typeof defineChannelRemoval>;

export const removalActions = ({ markers }: MessageDependencies): Handlers => ({
  /** Read markers belong to the user; their messages stay for the others. */
  "message.forgetUser": async ({ params: { userId } }) => {
    for (let deleted = BATCH; deleted === BATCH;) deleted = await markers.deleteSomeOf(userId, BATCH);
    return {};
  },
});

/** Deletes the data of a removed channel, and again once no late write can arrive any more. */
export function defineChannelRemoval(
  { jobs }: Pick<NodeContext, "jobs">,
  { messages, holds, others, heads, forget }: ChannelRemovalOptions,
) {
  return jobs.define<{ requestedAt: Date }>("message.removeChannel", {
    maxWaiting: MAX_QUEUED_REMOVALS,
    run: async ({ key: channelId, payload: { requestedAt }, signal }) => {
      const beganAt = new Date();
      const ofMessages = {
        deleteSome: (id: string, limit: number) => messages.deleteSome(id, limit, holds.keep),
      };
      for (const owned of [ofMessages, ...others]) {
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
