import type { Message } from "@fanfare/contract";
import mongoose from "mongoose";

const READ_TIMEOUT_MS = 10_000;

interface StoredMessage {
  _id: mongoose.Types.ObjectId;
  channelId: mongoose.Types.ObjectId;
  seq: number;
  rev: number;
  authorId: mongoose.Types.ObjectId;
  content: string;
  replyTo: mongoose.Types.ObjectId | null;
  nonce: string;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
}

/** What the database holds, read directly rather than through a service. */
export class Truth {
  readonly #connection: mongoose.Connection;

  private constructor(connection: mongoose.Connection) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<Truth> {
    const connection = mongoose.createConnection(url, {
      dbName: "fanfare",
      serverSelectionTimeoutMS: READ_TIMEOUT_MS,
    });
    return new Truth(await connection.asPromise());
  }

  /** A channel's messages after a seq, in order, in the contract's form. */
  async messages(channelId: string, afterSeq: number): Promise<Message[]> {
    const stored = await this.#connection
      .collection<StoredMessage>("messages")
      .find({ channelId: new mongoose.Types.ObjectId(channelId), seq: { $gt: afterSeq } })
      .sort({ seq: 1 })
      .toArray();
    return stored.map((document) => ({
      id: document._id.toHexString(),
      channelId: document.channelId.toHexString(),
      seq: document.seq,
      rev: document.rev,
      authorId: document.authorId.toHexString(),
      content: document.content,
      replyTo: document.replyTo?.toHexString() ?? null,
      nonce: document.nonce,
      createdAt: document.createdAt.toISOString(),
      editedAt: document.editedAt?.toISOString() ?? null,
      deletedAt: document.deletedAt?.toISOString() ?? null,
    }));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
