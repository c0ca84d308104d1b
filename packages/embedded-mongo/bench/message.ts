import { Int32, ObjectId } from "bson";
import type { Collection, Db } from "mongodb";

/** A message like those that Fanfare stores, about 350 bytes of BSON. */
export interface Message {
  _id: ObjectId;
  channelId: ObjectId;
  seq: number;
  rev: number;
  authorId: ObjectId;
  nonce: string;
  content: string;
  attachments: [];
  mentions: [];
  reactions: [];
  createdAt: Date;
}

const TEXT =
  "The quick brown fox jumps over the lazy dog and then tells the whole channel about it in detail. ";

export function message(channelId: ObjectId, authorId: ObjectId, seq: number): Message {
  return {
    _id: new ObjectId(),
    channelId,
    seq: new Int32(seq) as unknown as number,
    rev: new Int32(seq) as unknown as number,
    authorId,
    nonce: `nonce-${seq.toString(36).padStart(12, "0")}`,
    content: TEXT.slice(0, 40 + (seq % 50)),
    attachments: [],
    mentions: [],
    reactions: [],
    createdAt: new Date(),
  };
}

/** The collection with Fanfare's three indexes. */
export async function messagesOf(db: Db): Promise<Collection<Message>> {
  const messages = db.collection<Message>("messages");
  await messages.createIndex({ channelId: 1, seq: 1 }, { unique: true });
  await messages.createIndex({ channelId: 1, rev: 1 });
  await messages.createIndex(
    { channelId: 1, authorId: 1, nonce: 1 },
    { unique: true, partialFilterExpression: { nonce: { $exists: true } } },
  );
  return messages;
}
