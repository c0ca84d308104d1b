import { type JoinRequest, LIMITS } from "@fanfare/contract";
import { defineRepository, newId, nullIfDuplicate, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A user who asks to join a group. Once approved it is deleted; once rejected it stays until the user can ask again. */
export interface JoinRequestDocument {
  _id: string;
  groupId: string;
  userId: string;
  message: string;
  /** Absent once it is rejected. */
  isOpen?: true;
  createdAt: Date;
  /** Of a rejected one: when the user can ask again. */
  expiresAt: Date;
  /** Set while it is being approved. This time passes only if the process that approves it has ended. */
  approvingUntil?: Date;
}

const APPROVING_MS = 6 * LIMITS.writeTimeoutMs;

const schema = new Schema<JoinRequestDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    message: { type: String, default: "" },
    isOpen: Boolean,
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    approvingUntil: Date,
  },
  { collection: "joinRequests" },
)
  .index({ groupId: 1, userId: 1 }, { unique: true })
  .index({ groupId: 1, _id: 1 }, { partialFilterExpression: { isOpen: true }, name: "open_oldest" })
  .index({ userId: 1, _id: -1 })
  // Only for cleanup: readers compare the time themselves.
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Queries of the collection joinRequests. */
export const createJoinRequestRepository = defineRepository(
  { name: "JoinRequest", schema },
  ({ model: requests, insert, change, update, removeAll, removeSome }) => {
    const valid = () => ({ expiresAt: { $gt: new Date() } });
    const open = () => ({ isOpen: true as const, ...valid() });
    const closable = () => ({
      ...open(),
      $or: [{ approvingUntil: { $exists: false } }, { approvingUntil: { $lte: new Date() } }],
    });

    return {
      /** Also returns a rejected one. */
      find: (groupId: string, userId: string): Promise<JoinRequestDocument | null> =>
        requests.findOne({ groupId, userId, ...valid() }).lean(),

      /** @returns null when the user has one */
      async add(groupId: string, userId: string, message: string): Promise<JoinRequestDocument | null> {
        const createdAt = new Date();
        await requests.deleteOne({ groupId, userId, expiresAt: { $lte: createdAt } });
        const expiresAt = new Date(createdAt.getTime() + LIMITS.joinRequestLifetimeMs);
        const request = {
          _id: newId(),
          groupId,
          userId,
          message,
          isOpen: true as const,
          createdAt,
          expiresAt,
        };
        return nullIfDuplicate(insert(request));
      },

      countOpen: (groupId: string): Promise<number> =>
        requests.countDocuments({ groupId, ...open() }).limit(LIMITS.joinRequestsPerGroup),

      /** Oldest first. */
      listOpen: (groupId: string, limit: number, afterId?: string): Promise<JoinRequestDocument[]> =>
        requests
          .find({ groupId, ...open(), ...(afterId !== undefined && { _id: { $gt: afterId } }) })
          .sort({ groupId: 1, _id: 1 })
          .limit(limit)
          .lean(),

      /** Newest first, with the rejected ones. */
      listOfUser: (userId: string, limit: number): Promise<JoinRequestDocument[]> =>
        requests
          .find({ userId, ...valid() })
          .sort({ userId: 1, _id: -1 })
          .limit(limit)
          .lean(),

      /** Deletes an open one. @returns null when there is none, or it is being approved */
      withdraw: (groupId: string, userId: string): Promise<JoinRequestDocument | null> =>
        requests.findOneAndDelete({ groupId, userId, ...closable() }).lean(),

      /**
       * Keeps it from being withdrawn or rejected, until `endApproval` or `remove`.
       * @returns null when no open one exists, or another call approves it
       */
      startApproval: (groupId: string, userId: string): Promise<JoinRequestDocument | null> =>
        change(
          { groupId, userId, ...closable() },
          { $set: { approvingUntil: new Date(Date.now() + APPROVING_MS) } },
        ),

      /** For an approval that failed. Does nothing when the request was removed. */
      async endApproval({ _id }: Pick<JoinRequestDocument, "_id">): Promise<void> {
        await update({ _id }, { $unset: { approvingUntil: 1 } });
      },

      /** @returns null when no open one exists, or it is being approved */
      reject: (groupId: string, userId: string): Promise<JoinRequestDocument | null> =>
        change(
          { groupId, userId, ...closable() },
          {
            $set: { message: "", expiresAt: new Date(Date.now() + LIMITS.joinRequestRejectedMs) },
            $unset: { isOpen: 1 },
          },
        ),

      /** @returns the removed one, open or not */
      remove: (groupId: string, userId: string): Promise<JoinRequestDocument | null> =>
        requests.findOneAndDelete({ groupId, userId }).lean(),

      /** Removes all of a user. @returns the groups that had open ones */
      async removeAllOf(userId: string): Promise<string[]> {
        const found = await requests.find({ userId, isOpen: true }, { groupId: 1 }).lean();
        await removeAll({ userId });
        return found.map(({ groupId }) => groupId);
      },

      /** @returns the number of removed ones: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);

export function presentJoinRequest({
  groupId,
  userId,
  message,
  createdAt,
}: JoinRequestDocument): JoinRequest {
  return { groupId, userId, message, createdAt: createdAt.toISOString() };
}
