import { Schema, type Connection, type Model, type Types } from "mongoose";

export interface MessageDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  seq: number;
  /** The number of its last change. */
  rev: number;
  /** The numbers of all its changes, which stay taken for ever: see ADR 4. */
  revs: number[];
  authorId: Types.ObjectId;
  content: string;
  replyTo: Types.ObjectId | null;
  nonce: string;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
}

/** The server names the violated index in its error message, and nowhere else that every server agrees on. */
export const NONCE_INDEX = "channel_author_nonce";
export const SEQ_INDEX = "channel_seq";
export const REVS_INDEX = "channel_revs";

const schema = new Schema<MessageDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    revs: { type: [Number], required: true },
    authorId: { type: Schema.Types.ObjectId, required: true },
    content: { type: String, default: "" },
    replyTo: { type: Schema.Types.ObjectId, default: null },
    nonce: { type: String, required: true },
    createdAt: { type: Date, required: true },
    editedAt: { type: Date, default: null },
    deletedAt: { type: Date, default: null },
  },
  { collection: "messages", versionKey: false },
)
  .index({ channelId: 1, seq: 1 }, { unique: true, name: SEQ_INDEX })
  .index({ channelId: 1, revs: 1 }, { unique: true, name: REVS_INDEX })
  .index({ channelId: 1, rev: 1 }, { name: "channel_rev" })
  .index({ channelId: 1, authorId: 1, nonce: 1 }, { unique: true, name: NONCE_INDEX });

export function messageModel(database: Connection): Model<MessageDocument> {
  return database.model<MessageDocument>("Message", schema);
}
