import { LIMITS } from "@fanfare/contract";
import { assertBelow, type Handlers, newId, type NodeContext, orThrow } from "@fanfare/kernel";
import { HELD_PER_BATCH, LATE_WRITE_MS, MAX_QUEUED_RELEASES } from "../constants.ts";
import { documentId, type MessageDocument } from "../message.model.ts";
import type { MessageDependencies } from "../message.dependencies.ts";
import type { MessageEditRepository } from "../message-edit.repository.ts";
import {
  type HeldMessage,
  type HeldMessageRepository,
  presentHold,
  type HoldRepository,
} from "./hold.repository.ts";

interface HoldsOptions {
  holds: HoldRepository;
  held: HeldMessageRepository;
  edits: Pick<MessageEditRepository, "hold">;
}

export type Holds = ReturnType<typeof createHolds>;

/**
 * Keeps a copy of what is deleted of users under a legal hold, and its former texts. Only deletions ask whether the author is held,
 * so that sending costs nothing.
 */
export function createHolds({ holds, held, edits }: HoldsOptions) {
  return {
    /**
     * Durably keeps those of the messages whose author is under a hold. Call it before they are deleted.
     * @returns whether there are any
     */
    async keep(deleted: readonly MessageDocument[]): Promise<boolean> {
      const living = deleted.filter((message) => message.deletedAt === null);
      const authorIds = [...new Set(living.map(({ authorId }) => authorId.toHexString()))];
      const heldIds = authorIds.length === 0 ? new Set<string>() : await holds.heldAmong(authorIds);
      const kept = living.filter(({ authorId }) => heldIds.has(authorId.toHexString()));
      if (kept.length === 0) return false;
      const deletedAt = new Date();
      const copies = kept.map((message): HeldMessage => ({ ...message, deletedAt }));
      // First, because only kept messages lead to the former texts that are to be released.
      await held.keep(copies);
      await edits.hold(kept.map(documentId));
      // Again, in case the end of the hold has released them in between.
      await held.keep(copies);
      return true;
    },
  };
}

type Releasing = ReturnType<typeof defineRelease>;

/** Jobs that delete what was kept of users who are no longer under a hold. */
export function defineRelease(
  { jobs }: Pick<NodeContext, "jobs">,
  { holdRepository, held, edits, messages }: MessageDependencies,
) {
  const release = async (userId: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      if ((await holdRepository.heldAmong([userId])).has(userId)) return;
      const some = (await held.list(userId, null, HELD_PER_BATCH)).map(documentId);
      if (some.length === 0) return;
      // A deletion can have failed after the message was kept: then its former texts stay.
      const alive = await messages.findAlive(some);
      await edits.release(
        some,
        some.filter((id) => !alive.has(id)),
      );
      // Last, so that if the worker dies earlier they are found again.
      await held.delete(some);
    }
  };

  return jobs.define<{ userId: string; endedAt: Date }>("message.releaseHeld", {
    maxWaiting: MAX_QUEUED_RELEASES,
    async run({ payload: { userId, endedAt }, signal }) {
      const beganAt = new Date();
      await release(userId, signal);
      // A deletion that began under the hold can still keep something.
      const lastWriteAt = new Date(endedAt.getTime() + LATE_WRITE_MS);
      return beganAt < lastWriteAt ? { againAt: lastWriteAt } : undefined;
    },
  });
}

export function holdActions({ holdRepository: holds }: MessageDependencies, releasing: Releasing): Handlers {
  return {
    "message.isHeld": async ({ params: { userId } }) => ({
      isHeld: (await holds.heldAmong([userId])).has(userId),
    }),

    "message.listHolds": async ({ params: { beforeId, limit } }) => {
      const found = await holds.listPage(beforeId, limit);
      const last = found.length === limit ? found.at(-1) : undefined;
      return { holds: found.map(presentHold), nextId: last?._id ?? null };
    },

    "message.startHold": async ({ params: { userId, name, reason, byUserId } }) => {
      assertBelow("legalHoldsPerInstance", await holds.countActive(LIMITS.legalHoldsPerInstance));
      const started = { _id: newId(), userId, name, reason, startedBy: byUserId, startedAt: new Date() };
      return { hold: presentHold(await holds.insert({ ...started, heldUserId: userId })) };
    },

    "message.endHold": async ({ params: { userId, holdId, byUserId } }) => {
      orThrow(await holds.find(holdId, userId), "HOLD_NOT_FOUND");
      // First, so that a process that dies after the next step leaves nothing kept.
      const laterAt = new Date(Date.now() + LATE_WRITE_MS);
      await releasing.enqueue(holdId, { userId, endedAt: laterAt }, laterAt);
      await holds.end(holdId, byUserId);
      await releasing.enqueue(holdId, { userId, endedAt: new Date() });
      return { hold: presentHold(orThrow(await holds.find(holdId, userId), "HOLD_NOT_FOUND")) };
    },
  };
}
