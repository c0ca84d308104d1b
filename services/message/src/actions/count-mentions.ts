import { LIMITS } from "@fanfare/contract";
import { boundedMap, type Handler } from "@fanfare/kernel";
import { CHANNELS_PER_COUNT, QUERY_CONCURRENCY } from "../bounds.ts";
import type { Mentioned, MessageRepository } from "../message.repository.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

const MAX = LIMITS.mentionsCounted;

/** One query for many channels: nearly all of them have few mentions. */
export function countMentions({ messages }: MessageDependencies): Handler<"message.countMentions"> {
  return async ({ params: { userId, channels } }) => {
    const pieces = Array.from({ length: Math.ceil(channels.length / CHANNELS_PER_COUNT) }, (_, index) =>
      channels.slice(index * CHANNELS_PER_COUNT, (index + 1) * CHANNELS_PER_COUNT),
    );
    const counts = await boundedMap(pieces, QUERY_CONCURRENCY, (some) => countIn(messages, userId, some));
    return { counts: counts.flat() };
  };
}

async function countIn(
  messages: MessageRepository,
  userId: string,
  channels: readonly Mentioned[],
): Promise<number[]> {
  const limit = MAX * channels.length;
  const found = await messages.mentionedIn(channels, userId, limit);
  if (found.length === limit && channels.length > 1) {
    // Those of one channel may have left no room for others.
    return (await boundedMap(channels, QUERY_CONCURRENCY, (one) => countIn(messages, userId, [one]))).flat();
  }
  const byChannel = Map.groupBy(found, (channelId) => channelId);
  return channels.map(({ channelId }) => Math.min(byChannel.get(channelId)?.length ?? 0, MAX));
}
