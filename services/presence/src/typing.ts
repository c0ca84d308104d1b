import { LIMITS } from "@fanfare/contract";
import { RateLimiter, type Handlers } from "@fanfare/kernel";
import { MAX_TYPING_PER_CHANNEL_PER_SECOND } from "./constants.ts";
import type { PresenceDependencies } from "./presence.dependencies.ts";

export function typingActions({ node }: Pick<PresenceDependencies, "node">): Handlers {
  const ofUser = new RateLimiter({ points: 1, durationMs: LIMITS.typingIntervalMs });
  const ofChannel = new RateLimiter({ points: MAX_TYPING_PER_CHANNEL_PER_SECOND, durationMs: 1000 });
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
