import { LIMITS } from "@fanfare/contract";
import { RateLimiter, type Handlers } from "@fanfare/kernel";
import { TYPING_PER_CHANNEL_AND_SECOND } from "./bounds.ts";
import type { PresenceDependencies } from "./presence.dependencies.ts";

export function typingActions({ node }: Pick<PresenceDependencies, "node">): Handlers {
  const ofUser = new RateLimiter({ points: 1, durationMs: LIMITS.typingIntervalMs });
  const ofChannel = new RateLimiter({ points: TYPING_PER_CHANNEL_AND_SECOND, durationMs: 1000 });
  return {
    /** Publishes a typing indicator. In a busy channel only some users are shown. */
    "channel.typing": ({ params: { channelId }, actor: { userId }, access }) => {
      const nowMs = Date.now();
      const isPublished =
        ofUser.take(`${userId}:${channelId}`, nowMs) === 0 && ofChannel.take(channelId, nowMs) === 0;
      if (isPublished) {
        const expiresInMs = LIMITS.typingExpiresInMs;
        node.publish(access.rooms, "typing.started", { channelId, userId, expiresInMs });
      }
      return {};
    },
  };
}
