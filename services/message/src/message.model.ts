import type {
  Attachment,
  Card,
  Control,
  Embed,
  EndedCall,
  Mentions,
  Message,
  Poll,
  Reaction,
  Sticker,
} from "@fanfare/contract";
import { within } from "@fanfare/kernel";
import { type Connection, type Model, Schema, type Types } from "mongoose";
import { READ_TIMEOUT_MS } from "./constants.ts";

export interface MessageDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  seq: number;
  /** The number of its last change. */
  rev: number;
  /** The numbers of all its changes, which are never reused: see ADR 4. */
  revs: number[];
  authorId: Types.ObjectId;
  content: string;
  replyTo: Types.ObjectId | null;
  nonce: string;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
  /** Number of edits of the text. */
  editCount?: number;
  mentions?: Mentions;
  /** Keys of the mentioned users and roles; the next three fields duplicate data for their indexes. */
  mentionKeys?: string[];
  mentionedId?: Types.ObjectId;
  mentionedIn?: Types.ObjectId;
  mentionedSeq?: number;
  /** Counted from the collection of reactions. */
  reactions?: Reaction[];
  pinnedAt?: Date;
  pinnedBy?: Types.ObjectId;
  /** The channel id while pinned, so that the index only contains pinned messages. */
  pinnedIn?: Types.ObjectId;
  /** The thread of this message. */
  threadId?: Types.ObjectId;
  /** Of a reply in a thread: the channel that shows it too, in a message with the same author and nonce. */
  alsoIn?: Types.ObjectId;
  /** Of that message: the thread. */
  replyIn?: Types.ObjectId;
  attachments?: Attachment[];
  embeds?: Embed[];
  cards?: Card[];
  controls?: Control[];
  poll?: Omit<Poll, "endsAt"> & { endsAt: Date | null };
  sticker?: Sticker;
  call?: EndedCall;
  as?: NonNullable<Message["as"]>;
}

/** undefined fields are unset. */
export type MessageChange = { [K in keyof MessageDocument]?: MessageDocument[K] | undefined };

/** The fields that show a message in one line. */
export const EXCERPT_FIELDS = {
  channelId: 1,
  seq: 1,
  authorId: 1,
  content: 1,
  cards: 1,
  nonce: 1,
  createdAt: 1,
  sticker: 1,
  call: 1,
  as: 1,
} as const;
export type ExcerptDocument = Pick<MessageDocument, "_id" | keyof typeof EXCERPT_FIELDS>;

/** The server names the violated index only in its error message; other details depend on the server. */
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
    editCount: Number,
    mentions: Schema.Types.Mixed,
    mentionKeys: { type: [String], default: undefined },
    mentionedId: Schema.Types.ObjectId,
    mentionedIn: Schema.Types.ObjectId,
    mentionedSeq: Number,
    reactions: { type: [Schema.Types.Mixed], default: undefined },
    pinnedAt: Date,
    pinnedBy: Schema.Types.ObjectId,
    pinnedIn: Schema.Types.ObjectId,
    attachments: { type: [Schema.Types.Mixed], default: undefined },
    embeds: { type: [Schema.Types.Mixed], default: undefined },
    cards: { type: [Schema.Types.Mixed], default: undefined },
    controls: { type: [Schema.Types.Mixed], default: undefined },
    poll: Schema.Types.Mixed,
    sticker: Schema.Types.Mixed,
    call: Schema.Types.Mixed,
    as: Schema.Types.Mixed,
  },
  { collection: "messages", versionKey: false },
)
  .index({ channelId: 1, seq: 1 }, { unique: true, name: SEQ_INDEX })
  .index({ channelId: 1, revs: 1 }, { unique: true, name: REVS_INDEX })
  .index({ channelId: 1, rev: 1 }, { name: "channel_rev" })
  .index({ channelId: 1, authorId: 1, nonce: 1 }, { unique: true, name: NONCE_INDEX })
  // Sparse, on fields that only these messages have, so it costs nothing for others.
  .index({ mentionKeys: 1, mentionedId: -1 }, { sparse: true, name: "mentions_by_time" })
  .index({ mentionKeys: 1, mentionedIn: 1, mentionedSeq: 1 }, { sparse: true, name: "mentions_by_channel" })
  .index({ pinnedIn: 1, pinnedAt: -1 }, { sparse: true, name: "pins" });

export function messageModel(database: Connection): Model<MessageDocument> {
  return database.model<MessageDocument>("Message", schema);
}

/** Reads only documents that can't be rolled back. */
export const DURABLE_WRITE = "majority";

/** The id of a document as a string. */
export function documentId({ _id }: { _id: Types.ObjectId }): string {
  return _id.toHexString();
}

/** A batch size that fits all documents and detects the end. By default the driver fetches 101 documents, then the rest. */
export function oneBatch(ids: readonly unknown[]): number {
  return ids.length + 1;
}

/**
 * Limits how long to wait for a query: the driver has no overall timeout, so a frozen database would block callers indefinitely.
 * @throws {ServiceError} UNAVAILABLE
 */
export const inTime = <T>(query: PromiseLike<T>): Promise<T> => within(READ_TIMEOUT_MS, query);

/** A common timeout for several steps: each gets the remaining time. */
export function deadline(timeoutMs: number): <T>(step: (restMs: number) => Promise<T>) => Promise<T> {
  const endMs = performance.now() + timeoutMs;
  return (step) => {
    const restMs = Math.max(1, Math.ceil(endMs - performance.now()));
    return within(restMs, step(restMs));
  };
}
