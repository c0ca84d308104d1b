import type { PlaceLine } from "@fanfare/contract";
import type { Handlers, Handler, NodeContext } from "@fanfare/kernel";
import type { MessageDependencies } from "./message.dependencies.ts";
import { MAX_QUEUED_REMOVALS, LATE_WRITE_MS, REMOVALS_PER_BATCH } from "./constants.ts";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { HeldMessageRepository } from "./hold/hold.repository.ts";
import type { Holds } from "./hold/holds.ts";
import type { MessageRepository } from "./message.repository.ts";

/** Enqueues jobs that delete the messages. */
export function removeChannels(
  { node, holdRepository }: MessageDependencies,
  removal: ChannelRemoval,
): Handler<"message.removeChannels"> {
  return async ({ params: { channelIds }, services }) => {
    const requestedAt = new Date();
    // Before the channels are deleted, for exports of what a legal hold keeps.
    const isAnyHeld = (await holdRepository.countActive(1)) > 0;
    const places = isAnyHeld ? (await services.group.describeChannels({ channelIds })).lines : [];
    const placeOf = new Map(places.map((place) => [place.id, place]));
    await Promise.all(
      channelIds.map((channelId) => {
        const place = placeOf.get(channelId);
        return removal.enqueue(channelId, { requestedAt, ...(place !== undefined && { place }) });
      }),
    );
    node.broadcast("channel.emptied", { channelIds });
    return {};
  };
}

const BATCH = 1000;

interface ChannelRemovalOptions {
  messages: Pick<MessageRepository, "deleteSome">;
  holds: Pick<Holds, "keep">;
  held: Pick<HeldMessageRepository, "setPlace">;
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
  { messages, holds, held, others, heads, forget }: ChannelRemovalOptions,
) {
  return jobs.define<{ requestedAt: Date; place?: PlaceLine }>("message.removeChannel", {
    maxWaiting: MAX_QUEUED_REMOVALS,
    run: async ({ key: channelId, payload: { requestedAt, place }, signal }) => {
      const beganAt = new Date();
      const ofMessages = {
        deleteSome: (id: string, limit: number) => messages.deleteSome(id, limit, holds.keep),
      };
      for (const owned of [ofMessages, ...others]) {
        while ((await owned.deleteSome(channelId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH)
          signal.throwIfAborted();
      }
      if (place !== undefined && place.kind !== "deleted") await held.setPlace(place);
      await heads.delete(channelId);
      forget(channelId);
      const lastWriteAt = new Date(requestedAt.getTime() + LATE_WRITE_MS);
      return beganAt < lastWriteAt ? { againAt: lastWriteAt } : undefined;
    },
  });
}
