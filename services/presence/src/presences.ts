import { LIMITS, type Params, type Presence } from "@fanfare/contract";
import { type Handlers, type NodeContext, RateLimiter } from "@fanfare/kernel";
import { MAX_TYPING_PER_CHANNEL_PER_SECOND } from "./constants.ts";
import type { StatusRepository } from "./status.repository.ts";
import type { PresenceStore } from "./store/presence-store.ts";

export type OwnStatus = Params<"presence.setStatus">["status"];

/** What the actions of this service need. */
export interface PresenceDependencies {
  node: NodeContext;
  store: PresenceStore;
  statuses: StatusRepository;
}

export function presenceActions(dependencies: PresenceDependencies): Handlers {
  const { store, statuses } = dependencies;
  return {
    /** The gateway joins the socket to the rooms of the users in the result: see the action's `subscription`. */
    "presence.watch": async ({ params, actor: { userId }, services }) => {
      const asked = [...new Set(params.userIds)];
      const [acquaintances, friends] = await Promise.all([
        services.group.listAcquaintances({ userId, userIds: asked }),
        // If friends can't be listed, only acquaintances are included.
        services.friend.listAmong({ userId, userIds: asked }).catch(() => ({ userIds: [] })),
      ]);
      const userIds = [...new Set([...acquaintances.userIds, ...friends.userIds])];
      const [presences, own] = await Promise.all([
        readPresences(dependencies, userIds),
        dependencies.statuses.findMany([userId]),
      ]);
      return { presences, ownStatus: own.get(userId) ?? "online", expiresInMs: LIMITS.watchLifetimeMs };
    },

    /** Handled by the gateway. */
    "presence.unwatch": () => ({}),

    "presence.setStatus": async ({ params: { status }, actor: { userId } }) => {
      await statuses.set(userId, status);
      // Also when unchanged: an earlier call may have failed after storing the status.
      await store.recordChange(userId);
      return { status };
    },

    "presence.listAway": async ({ params: { userIds, withDoNotDisturb } }) => {
      const [connected, own] = await Promise.all([
        store.filterConnected(userIds),
        withDoNotDisturb ? new Map<string, OwnStatus>() : statuses.findMany(userIds),
      ]);
      return {
        userIds: userIds.filter((id) => !connected.has(id) && own.get(id) !== "doNotDisturb"),
      };
    },

    "presence.count": async () => ({ online: await store.countConnected() }),

    "presence.report": async ({ params }) => ({ known: await store.report(params) }),

    /** Removing the status resets it to the default. */
    "presence.forgetUser": async ({ params: { userId } }) => {
      await statuses.set(userId, "online");
      return {};
    },
  };
}

/** The current presence of users, with one query each to the store and the database. */
export async function readPresences(
  { store, statuses }: Pick<PresenceDependencies, "store" | "statuses">,
  userIds: readonly string[],
): Promise<Presence[]> {
  const [connected, own] = await Promise.all([store.filterConnected(userIds), statuses.findMany(userIds)]);
  return userIds.map((userId) => present(userId, connected.has(userId), own.get(userId) ?? "online"));
}

/** A user's presence as shown to others. */
function present(userId: string, isConnected: boolean, ownStatus: OwnStatus): Presence {
  return { userId, status: isConnected && ownStatus !== "invisible" ? ownStatus : "offline" };
}

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
