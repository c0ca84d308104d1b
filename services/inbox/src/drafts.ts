import { userRoom, LIMITS } from "@fanfare/contract";
import {
  type Handlers,
  ResponseBudget,
  invalid,
  limitReached,
  type NodeContext,
  orThrow,
  serviceError,
  toServiceError,
} from "@fanfare/kernel";
import {
  presentDraft,
  presentScheduled,
  type ScheduledDocument,
  type ScheduledRepository,
} from "./draft.repository.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";

export const draftActions = ({ node, drafts }: InboxDependencies): Handlers => ({
  "draft.set": async ({ params: { channelId, content }, actor: { userId } }) => {
    const changed = { channelId, content, changedAt: new Date() };
    await drafts.set({ userId, ...changed });
    const draft = presentDraft(changed);
    node.publish(userRoom(userId), "draft.changed", { draft });
    return { draft };
  },

  "draft.list": async ({ actor: { userId } }) => ({
    drafts: new ResponseBudget().takeWhileFits((await drafts.listOf(userId)).map(presentDraft)),
  }),
});

export function scheduledActions({ node, scheduled, sendAt: noteTime }: InboxDependencies): Handlers {
  return {
    "scheduled.add": async ({ params: { channelId, content, sendAt }, actor: { userId } }) => {
      const document = await scheduled.add({ userId, channelId, content, sendAt: timeOf(sendAt) });
      if (document === null) throw limitReached("scheduledPerUser");
      await noteTime(document.sendAt);
      return { scheduled: publishChanged(node, document) };
    },

    "scheduled.change": async ({ params: { scheduledId, content, sendAt }, actor: { userId } }) => {
      const changes = { content, sendAt: sendAt === undefined ? undefined : timeOf(sendAt) };
      const document = orThrow(await scheduled.change(userId, scheduledId, changes), "SCHEDULED_NOT_FOUND");
      if (changes.sendAt !== undefined) await noteTime(changes.sendAt);
      return { scheduled: publishChanged(node, document) };
    },

    "scheduled.remove": async ({ params: { scheduledId }, actor: { userId } }) => {
      // Before, because it is gone once it is sent.
      if (!(await scheduled.exists(userId, scheduledId))) return {};
      if (!(await scheduled.cancel(userId, scheduledId))) throw serviceError("SCHEDULED_NOT_FOUND");
      node.publish(userRoom(userId), "scheduled.removed", { scheduledId });
      return {};
    },

    "scheduled.list": async ({ actor: { userId } }) => ({
      scheduled: (await scheduled.listOf(userId)).map(presentScheduled),
    }),
  };
}

function timeOf(sendAt: string): Date {
  const time = new Date(sendAt);
  if (time.getTime() > Date.now() + LIMITS.scheduleMaxMs)
    throw invalid("sendAt", `must be at most ${LIMITS.scheduleMaxMs / 86_400_000} days ahead`);
  return time;
}

function publishChanged(node: NodeContext, document: ScheduledDocument) {
  const scheduled = presentScheduled(document);
  node.publish(userRoom(document.userId), "scheduled.changed", { scheduled });
  return scheduled;
}

/** Sends a message whose time has come, once. */
export function createScheduledSending(node: NodeContext, scheduled: ScheduledRepository) {
  return async (due: ScheduledDocument): Promise<void> => {
    const { _id, userId } = due;
    try {
      await assertCanSend(node, userId);
      const document = await scheduled.claim(due);
      if (document === null) return;
      const { channelId, content } = document;
      // The same nonce in each try, so that it is sent once.
      const message = { authorId: userId, channelId, content, nonce: `scheduled-${_id}` };
      await node.services.message.post(message);
    } catch (error) {
      const { type, retryable } = toServiceError(error);
      // After other failures, or an earlier try, the message can have been stored: it is sent as it is, in a later try.
      if (type === "SLOW_MODE" && due.isSending !== true) await scheduled.release(due);
      if (retryable) throw error;
      const failed = await scheduled.fail(due, type);
      if (failed !== null) publishChanged(node, failed);
      return;
    }
    if (await scheduled.remove(userId, _id))
      node.publish(userRoom(userId), "scheduled.removed", { scheduledId: _id });
  };
}

/**
 * Users who can no longer log in, and bots without a valid token, send nothing.
 * @throws {ServiceError} USER_DISABLED or BOT_NOT_ALLOWED
 */
async function assertCanSend({ services }: NodeContext, userId: string): Promise<void> {
  const { isActive, kind } = await services.user.isActive({ userId });
  if (!isActive) throw serviceError("USER_DISABLED");
  if (kind !== "bot") return;
  const { isAllowed } = await services.bot.isAllowed({ userId, scope: "messages.write" });
  if (!isAllowed) throw serviceError("BOT_NOT_ALLOWED");
}
