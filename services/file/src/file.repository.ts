import type { Recording } from "@fanfare/contract";
import type { Variant } from "@fanfare/files";
import { defineRepository, ID, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { MARK_BATCH, SUM_PAGE_SIZE, SWEEP_LEASE_MS } from "./constants.ts";

/**
 * `uploading`: incomplete. `unclaimed`: complete, but visible only to its owner. `attached`: part of the message that its owner
 * has sent, or is about to send, with `nonce`. `picture`: the public picture `pictureOf`. `deleting`: hidden from everyone.
 */
type FileState = "uploading" | "unclaimed" | "attached" | "picture" | "deleting";

export interface FileDocument {
  _id: string;
  ownerId: string;
  /** Absent for pictures of profiles and groups. */
  channelId?: string;
  groupId?: string;
  name: string;
  /** The size counted toward quotas. */
  bytes: number;
  contentType: string;
  width?: number;
  height?: number;
  recording?: Recording;
  /** Stored versions, without the public picture. */
  variants: Variant[];
  state: FileState;
  nonce?: string;
  /** `user:<id>`, `group:<id>`, `member:<group id>`, `emoji:<group id>` or `instance`. */
  pictureOf?: string;
  /** The public name of the picture. */
  pictureName?: string;
  createdAt: Date;
  /** The time of the next check. Absent: none. */
  dueAt?: Date;
}

const schema = new Schema<FileDocument>(
  {
    ownerId: REQUIRED_ID,
    channelId: ID,
    groupId: ID,
    name: { type: String, required: true },
    bytes: { type: Number, required: true },
    contentType: { type: String, required: true },
    width: Number,
    height: Number,
    recording: Schema.Types.Mixed,
    variants: { type: [String], required: true },
    state: { type: String, required: true },
    nonce: String,
    pictureOf: String,
    pictureName: String,
    createdAt: { type: Date, required: true },
    dueAt: Date,
  },
  { collection: "files" },
);
schema.index({ ownerId: 1, _id: -1 });
schema.index({ ownerId: 1, state: 1 });
schema.index({ channelId: 1, state: 1 }, { sparse: true });
schema.index({ groupId: 1, _id: -1 }, { sparse: true });
schema.index({ pictureOf: 1 }, { sparse: true });
schema.index({ dueAt: 1 }, { sparse: true });

type Set = Partial<Omit<FileDocument, "_id">>;
type Which =
  | { ownerId: string; state: FileState }
  | { channelId: string; state: FileState }
  | { pictureOf: string; _id?: string; ownerId?: string };

export type FileRepository = ReturnType<typeof createFileRepository>;

/** Queries of the collection files. */
export const createFileRepository = defineRepository(
  { name: "File", schema },
  ({ model: files, insert, change }) => ({
    insert,

    async find(fileId: string): Promise<FileDocument | null> {
      return files.findById(fileId).lean();
    },

    async findMany(fileIds: readonly string[]): Promise<FileDocument[]> {
      return files.find({ _id: { $in: fileIds } }).lean();
    },

    /** The files of a user, newest first. */
    async page(ownerId: string, before: string | undefined, limit: number): Promise<FileDocument[]> {
      const older = before === undefined ? {} : { _id: { $lt: before } };
      return files
        .find({ ownerId, ...older })
        .sort({ _id: -1 })
        .limit(limit)
        .lean();
    },

    /** Some of the files of a channel, in any state. */
    async listOfChannel(channelId: string): Promise<FileDocument[]> {
      return files.find({ channelId }).limit(MARK_BATCH).lean();
    },

    /** @returns the number of a user's files in a state, at most `limit` */
    async count(ownerId: string, state: FileState, limit: number): Promise<number> {
      return files.countDocuments({ ownerId, state }).limit(limit);
    },

    /** Sums the counted sizes page by page. */
    async sumBytes(field: "ownerId" | "groupId", id: string): Promise<number> {
      let total = 0;
      let after: object = {};
      for (;;) {
        const page = await files
          .find({ [field]: id, ...after }, { bytes: 1 })
          .sort({ _id: -1 })
          .limit(SUM_PAGE_SIZE)
          .lean();
        for (const { bytes } of page) total += bytes;
        const last = page.at(-1);
        if (last === undefined || page.length < SUM_PAGE_SIZE) return total;
        after = { _id: { $lt: last._id } };
      }
    },

    /** Changes a file that is in one of these states. @returns null when it isn't */
    async change(
      fileId: string,
      states: readonly FileState[],
      set: Set,
      unset: readonly (keyof FileDocument)[] = [],
    ): Promise<FileDocument | null> {
      const gone = Object.fromEntries(unset.map((field) => [field, 1 as const]));
      return change(
        { _id: fileId, state: { $in: states } },
        { $set: set, ...(unset.length > 0 && { $unset: gone }) },
      );
    },

    /** Attaches unclaimed files, and those already attached with this nonce, to the message. */
    async claim(fileIds: readonly string[], { nonce, dueAt }: { nonce: string; dueAt: Date }): Promise<void> {
      const _id = { $in: fileIds };
      await files.updateMany({ _id, state: "attached", nonce }, { $set: { dueAt } });
      await files.updateMany({ _id, state: "unclaimed" }, { $set: { state: "attached", nonce, dueAt } });
    },

    /** Marks files for deletion in batches. @returns the number of files */
    async markDeleting(which: Which, dueAt: Date, exceptId?: string): Promise<number> {
      let total = 0;
      for (;;) {
        const found = await files
          .find({ ...which, ...("pictureOf" in which && { state: "picture" }) }, { _id: 1 })
          .limit(MARK_BATCH)
          .lean();
        const ids = found.map(({ _id }) => _id).filter((id) => id !== exceptId);
        if (ids.length > 0)
          await files.updateMany({ _id: { $in: ids } }, { $set: { state: "deleting", dueAt } });
        total += ids.length;
        if (found.length < MARK_BATCH) return total;
      }
    },

    /** Claims the file that has been due the longest, so that no other worker handles it. @returns null when none is due */
    async takeDue(now: Date): Promise<FileDocument | null> {
      return files
        .findOneAndUpdate(
          { dueAt: { $lte: now } },
          { $set: { dueAt: new Date(now.getTime() + SWEEP_LEASE_MS) } },
          { sort: { dueAt: 1 }, returnDocument: "after" },
        )
        .lean();
    },

    /** @returns the deleted file */
    async delete(fileId: string): Promise<FileDocument | null> {
      return files.findByIdAndDelete(fileId).lean();
    },
  }),
);
