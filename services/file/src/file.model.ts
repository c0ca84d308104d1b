import type { Variant } from "@fanfare/files";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/**
 * `uploading`: its bytes may still be coming. `unclaimed`: whole, and its owner's alone. `attached`: part of the message that its
 * owner has sent, or is about to send, with `nonce`. `picture`: of `pictureOf`, public. `deleting`: gone for everybody.
 */
export type FileState = "uploading" | "unclaimed" | "attached" | "picture" | "deleting";

export interface FileDocument {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  /** Absent: a picture of a profile or a group. */
  channelId?: Types.ObjectId;
  groupId?: Types.ObjectId;
  name: string;
  /** What is counted against the quotas. */
  bytes: number;
  contentType: string;
  width?: number;
  height?: number;
  /** What is stored of it besides a public picture. */
  variants: Variant[];
  state: FileState;
  nonce?: string;
  /** `user:<id>` or `group:<id>`. */
  pictureOf?: string;
  /** Under which it is public. */
  pictureName?: string;
  createdAt: Date;
  /** When it is to be looked at next; absent: it stays. */
  dueAt?: Date;
}

const schema = new Schema<FileDocument>(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    channelId: Schema.Types.ObjectId,
    groupId: Schema.Types.ObjectId,
    name: { type: String, required: true },
    bytes: { type: Number, required: true },
    contentType: { type: String, required: true },
    width: Number,
    height: Number,
    variants: { type: [String], required: true },
    state: { type: String, required: true },
    nonce: String,
    pictureOf: String,
    pictureName: String,
    createdAt: { type: Date, required: true },
    dueAt: Date,
  },
  { collection: "files", versionKey: false, writeConcern: DURABLE },
);
schema.index({ ownerId: 1, _id: -1 });
schema.index({ ownerId: 1, state: 1 });
schema.index({ channelId: 1, state: 1 }, { sparse: true });
schema.index({ groupId: 1, _id: -1 }, { sparse: true });
schema.index({ pictureOf: 1 }, { sparse: true });
schema.index({ dueAt: 1 }, { sparse: true });

export function fileModel(database: Connection): Model<FileDocument> {
  return database.model<FileDocument>("File", schema);
}
