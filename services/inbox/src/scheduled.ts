import { LIMITS, userRoom } from "@fanfare/contract";
import {
  type Handlers,
  invalid,
  limitReached,
  type NodeContext,
  orThrow,
  toServiceError,
} from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import {
  presentScheduled,
  type ScheduledDocument,
  type ScheduledRepository,
} from "./scheduled.repository.ts";

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
      const document = orThrow(await scheduled.change(userId, scheduledId, changes), "MESSAGE_NOT_FOUND");
      if (changes.sendAt !== undefined) await noteTime(changes.sendAt);
      return { scheduled: publishChanged(node, document) };
    },

    "scheduled.remove": async ({ params: { scheduledId }, actor: { userId } }) => {
      if (await scheduled.remove(userId, scheduledId))
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
  return async (document: ScheduledDocument): Promise<void> => {
    const { _id, userId, channelId, content } = document;
    try {
      // The same nonce in each try, so that it is sent once.
      const message = { authorId: userId, channelId, content, nonce: `scheduled-${_id}` };
      await node.services.message.post(message);
    } catch (error) {
      const { type, retryable } = toServiceError(error);
      if (retryable) throw error;
      const failed = await scheduled.fail(document, type);
      if (failed !== null) publishChanged(node, failed);
      return;
    }
    if (await scheduled.remove(userId, _id))
      node.publish(userRoom(userId), "scheduled.removed", { scheduledId: _id });
  };
}
