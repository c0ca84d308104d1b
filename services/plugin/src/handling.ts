import { actionDefinition, type ActionName, type Actor, LIMITS, type Message } from "@fanfare/contract";
import {
  callOf,
  type ExactLimit,
  newId,
  type NodeContext,
  serviceError,
  toServiceError,
} from "@fanfare/kernel";
import type { PluginManifest } from "@fanfare/plugins";
import { z } from "zod";

/** An action or event that a plug-in works on, and what it can do meanwhile. */
export interface Handling {
  /** Calls of Fanfare's actions so far. */
  calls: number;
  /** The channel that it can publish to, and a user who must see it; null: none. */
  place: { channelId: string; userId: string } | null;
  /**
   * Calls an action that the scopes of the plug-in include.
   * @param userId of the user to act for; undefined: the caller
   * @throws {ServiceError} of the action
   * @throws {Error} for the plug-in, if it can't call this action now
   */
  call: (action: ActionName, params: unknown, userId: string | undefined) => Promise<unknown>;
}

type ServerAction = NonNullable<PluginManifest["server"]>["actions"][string];
type Services = NodeContext["services"];

/** A call of one of its actions: it can act for the caller. */
export function handlingOfAction(
  { permission, mutates }: ServerAction,
  { params, actor, services }: { params: object; actor: Pick<Actor, "userId">; services: Services },
): Handling {
  const { channelId } = params as { channelId: string };
  return {
    calls: 0,
    place: permission.rule === "channel" ? { channelId, userId: actor.userId } : null,
    async call(action, given) {
      if (actionDefinition(action).mutates && !mutates)
        throw new Error(`Only an action with \`mutates\` in plugin.json can call ${action}.`);
      return callOf(services)(action, given as never).catch(rethrow);
    },
  };
}

/** An event without a user to act for. */
export const handlingOfEvent = (): Handling => ({
  calls: 0,
  place: null,
  async call() {
    throw new Error("This event has no user to act for.");
  },
});

const ToPost = z.strictObject({
  channelId: z.string(),
  content: z.string(),
  nonce: z.string(),
  replyTo: z.string().optional(),
  mentionAuthor: z.boolean().optional(),
});

interface NewMessages {
  channelId: string;
  groupId: string;
  messages: readonly Pick<Message, "authorId" | "as">[];
}

/**
 * New messages: the plug-in can act for those who wrote them, within the group. Not for bots, webhooks and plug-ins: two programs that
 * answer each other would never end. What it sends has its own name, and so causes no further calls.
 */
export function handlingOfMessages(
  { node, title, limiter }: { node: NodeContext; title: string; limiter: Pick<ExactLimit, "take"> },
  { channelId, groupId, messages }: NewMessages,
): Handling {
  const authors = new Set(messages.flatMap(({ authorId, as }) => (as === undefined ? [authorId] : [])));
  return {
    calls: 0,
    place: { channelId, userId: messages[0]!.authorId },
    async call(action, given, userId) {
      if (userId === undefined || !authors.has(userId))
        throw new Error("Pass callAs the author of one of the messages, not a webhook or plug-in.");
      // Such a message would be an event of its own, without the name of the plug-in.
      if (action === "scheduled.add")
        throw new Error(`Event handlers can't call ${action}. Send a message at once.`);
      await assertInGroup(node, groupId, userId, action, given);
      const retryAfterMs = await limiter.take(channelId, Date.now());
      if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
      const actor = await actorOf(node, userId);
      if (action !== "message.send")
        return callOf(node.servicesAs(actor))(action, given as never).catch(rethrow);
      const as = { name: title.slice(0, LIMITS.nicknameMaxChars), avatarUrl: null };
      return node.services.message.post({ ...ToPost.parse(given), authorId: userId, as }).catch(rethrow);
    },
  };
}

/** The user did not ask for the call, so it does nothing outside of the group that the plug-in was notified of. */
async function assertInGroup(
  { access }: NodeContext,
  groupId: string,
  userId: string,
  action: ActionName,
  given: unknown,
): Promise<void> {
  const { rule } = actionDefinition(action).permission;
  const ids = z
    .object({ groupId: z.string().optional(), channelId: z.string().optional() })
    .parse(given ?? {});
  const found =
    rule === "group"
      ? ids.groupId
      : rule === "channel" && ids.channelId !== undefined
        ? (await access.get(userId, { channelId: ids.channelId })).groupId
        : undefined;
  if (found !== groupId)
    throw new Error(`An event handler can only call ${action} for the group of the message.`);
}

/** @throws {Error} for the plug-in */
async function actorOf({ services }: NodeContext, userId: string): Promise<Actor> {
  const { kind } = await services.user.isActive({ userId }).catch(rethrow);
  if (kind === undefined || kind === "bot") throw new Error("Pass callAs an active user, not a bot.");
  // Of no session.
  return { userId, sessionId: newId(), kind };
}

/** So that a plug-in learns no internal details. */
function rethrow(error: unknown): never {
  throw toServiceError(error);
}
