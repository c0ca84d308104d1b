import { type Attachment, type GroupFileLineOf, LIMITS } from "@fanfare/contract";
import { type Ids, messageDocument } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { hashOf } from "./import-record.ts";
import { type ImportTarget, isOnlyDuplicates, recordReactions } from "./import-steps.ts";
import type { Bytes } from "./inputs.ts";
import type { KeptFile } from "./sinks.ts";

const BATCH_MESSAGES = 1000;
const BATCH_REACTIONS = 10_000;
/** Of one batch: others write messages of the same channels. */
const MAX_TRIES = 20;

export interface FileCounts {
  stored: number;
  damaged: number;
  /** Left out, because the quota of the instance is used up. */
  full: number;
}

/** What an import has stored so far. */
export interface Progress {
  messages: number;
  files: number;
}

/** A message of a file, with all that belongs to it. */
export interface LoggedMessage {
  line: GroupFileLineOf<"message">;
  reactions: readonly GroupFileLineOf<"reaction">[];
  files: readonly KeptFile[];
}

interface Waiting extends LoggedMessage {
  ids: Ids;
  /** null: of direct messages. */
  groupId: string | null;
  document: mongo.Document;
}

interface Head {
  seq: number;
  rev: number;
}

interface Options extends Pick<ImportTarget, "db" | "storing"> {
  /** Opens a file of the export. */
  open: (key: string) => Promise<Bytes>;
  /** Whether no message of it can be stored yet, and no one else can write to the channels. */
  isNew: boolean;
  /** Whether a channel of the export is a thread. */
  isThread: (channelId: string) => boolean;
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/**
 * Adds messages to the logs of channels in batches, after those that are there, with their files and reactions. What is already stored
 * isn't changed, so it can be repeated. Others can write to the channels meanwhile: two messages never have the same number.
 */
export class MessageLog {
  readonly files: FileCounts = { stored: 0, damaged: 0, full: 0 };
  /** Messages that were added. */
  added = 0;
  /** To these messages. */
  reactions = 0;
  /** Of these messages. */
  pins = 0;
  /** Messages that were already there. */
  known = 0;
  /** Messages that retention has removed here, or would have. */
  expired = 0;
  readonly #options: Options;
  readonly #messages: mongo.Collection;
  readonly #heads = new Map<string, Head>();
  /** The group of each thread with messages. */
  readonly #threads = new Map<string, string>();
  /** By channel; null: it has all its messages. */
  readonly #oldest = new Map<string, Date | null>();
  #waiting: Waiting[] = [];
  #waitingReactions = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#messages = options.db.collection("messages");
  }

  async add(message: LoggedMessage, ids: Ids, groupId: string | null): Promise<void> {
    const document = messageDocument(message.line, 0, ids);
    this.#waiting.push({ ...message, ids, groupId, document });
    if (groupId !== null && this.#options.isThread(message.line.channelId))
      this.#threads.set(String(document["channelId"]), groupId);
    this.#waitingReactions += message.reactions.length;
    if (this.#waiting.length >= BATCH_MESSAGES || this.#waitingReactions >= BATCH_REACTIONS)
      await this.flush();
  }

  /** Stores the messages that wait for a full batch. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingReactions = 0;
    if (waiting.length === 0) return;
    const unknown = this.#options.isNew ? waiting : await this.#missing(waiting);
    this.known += waiting.length - unknown.length;
    if (unknown.length < waiting.length) await this.#raiseAgain(waiting);
    const missing = this.#options.isNew ? unknown : await this.#unexpired(unknown);
    this.expired += unknown.length - missing.length;
    for (const message of missing) {
      this.#options.signal.throwIfAborted();
      await this.#addFiles(message);
    }
    await this.#addReactions(missing);
    for (let left = missing, tries = 1; left.length > 0; tries += 1) {
      if (await this.#store(left, tries)) break;
      // Those before the first rejected one are stored.
      await this.#raiseAgain(left);
      const rest = await this.#missing(left);
      if (rest.length < left.length) tries = 0;
      left = rest;
    }
    if (!this.#options.isNew) await this.#raiseActivity(waiting);
    this.added += missing.length;
    for (const { line } of missing) if (line.pinned !== undefined) this.pins += 1;
    this.#report();
  }

  /** Shows a thread at its message, if that has none. */
  async setThread(
    channelId: mongo.ObjectId,
    messageId: mongo.ObjectId,
    threadId: mongo.ObjectId,
  ): Promise<void> {
    const filter = { _id: messageId, channelId, deletedAt: null, threadId: { $exists: false } };
    if ((await this.#messages.findOne(filter, { projection: { _id: 1 } })) === null) return;
    for (let tries = 1; ; tries += 1) {
      const { seq, rev } = await this.#headOf(String(channelId));
      const change: mongo.Document = { $set: { threadId, rev: rev + 1 }, $push: { revs: rev + 1 } };
      try {
        const { modifiedCount } = await this.#messages.updateOne(filter, change, { writeConcern: DURABLE });
        if (modifiedCount > 0) await this.#raise(new Map([[String(channelId), { seq, rev: rev + 1 }]]));
        return;
      } catch (error) {
        this.#heads.clear();
        if (!isOnlyDuplicates(error) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  async #missing(messages: readonly Waiting[]): Promise<Waiting[]> {
    const _id = { $in: messages.map(({ document }) => document._id) };
    const found = await this.#messages.find({ _id }, { projection: { _id: 1 } }).toArray();
    const known = new Set(found.map((one) => String(one._id)));
    // An export can also have a message twice.
    return messages.filter(({ document }) => {
      const id = String(document._id);
      return !known.has(id) && known.add(id);
    });
  }

  /** Retention removes the oldest messages of a channel: those older than its first one don't come back. */
  async #unexpired(messages: readonly Waiting[]): Promise<Waiting[]> {
    const kept: Waiting[] = [];
    for (const message of messages) {
      const oldest = await this.#oldestOf(message.document["channelId"] as mongo.ObjectId);
      if (oldest === null || (message.document["createdAt"] as Date) > oldest) kept.push(message);
    }
    return kept;
  }

  async #oldestOf(channelId: mongo.ObjectId): Promise<Date | null> {
    const known = this.#oldest.get(String(channelId));
    if (known !== undefined) return known;
    const isRetained = { _id: channelId, retainedFrom: { $exists: true } };
    const head = await this.#options.db.collection("channelHeads").findOne(isRetained);
    const oldest = head && (await this.#messages.find({ channelId }).sort({ seq: 1 }).limit(1).next());
    const time = (oldest?.["createdAt"] as Date | undefined) ?? null;
    this.#oldest.set(String(channelId), time);
    return time;
  }

  /** @returns false if some are missing, because another process has used their numbers */
  async #store(messages: readonly Waiting[], tries: number): Promise<boolean> {
    const heads = new Map<string, Head>();
    for (const { document } of messages) {
      const channelId = String(document["channelId"]);
      const head = heads.get(channelId) ?? (await this.#headOf(channelId));
      const { seq, rev } = { seq: head.seq + 1, rev: head.rev + 1 };
      heads.set(channelId, { seq, rev });
      Object.assign(document, { seq, rev, revs: [rev] });
      if (document["mentionedSeq"] !== undefined) document["mentionedSeq"] = seq;
    }
    this.#options.signal.throwIfAborted();
    const documents = messages.map(({ document }) => document);
    try {
      // In order: a message without the one before it would be a gap in the log.
      await this.#messages.insertMany(documents, { writeConcern: DURABLE });
    } catch (error) {
      this.#heads.clear();
      if (this.#options.isNew || !isOnlyDuplicates(error) || tries >= MAX_TRIES) throw error;
      return false;
    }
    await this.#raise(heads);
    return true;
  }

  /** An earlier import can have stopped after it stored messages, and before it raised the heads of their channels. */
  async #raiseAgain(messages: readonly Waiting[]): Promise<void> {
    const channelIds = new Set(messages.map(({ document }) => String(document["channelId"])));
    const heads = new Map<string, Head>();
    for (const id of channelIds) if (!this.#heads.has(id)) heads.set(id, await this.#headOf(id));
    await this.#raise(heads);
  }

  async #headOf(channelId: string): Promise<Head> {
    const known = this.#heads.get(channelId);
    if (known !== undefined) return known;
    if (this.#options.isNew) return { seq: 0, rev: 0 };
    const highest = async (field: "seq" | "rev"): Promise<number> => {
      const newest = this.#messages.find({ channelId: new mongo.ObjectId(channelId) }).sort({ [field]: -1 });
      return ((await newest.limit(1).next())?.[field] as number | undefined) ?? 0;
    };
    return { seq: await highest("seq"), rev: await highest("rev") };
  }

  async #raise(heads: ReadonlyMap<string, Head>): Promise<void> {
    const changes = [...heads].map(([id, head]) => ({
      updateOne: {
        filter: { _id: new mongo.ObjectId(id) },
        update: {
          $max: { ...head, changedAt: new Date() },
          ...(this.#threads.has(id) && { $set: { threadOf: new mongo.ObjectId(this.#threads.get(id)) } }),
        },
        upsert: true,
      },
    }));
    if (changes.length === 0) return;
    await this.#options.db
      .collection("channelHeads")
      .bulkWrite(changes, { ordered: false, writeConcern: DURABLE });
    for (const [id, head] of heads) this.#heads.set(id, head);
  }

  /** Threads and direct conversations are listed by their last message. */
  async #raiseActivity(messages: readonly Waiting[]): Promise<void> {
    const newest = new Map(messages.map(({ document }) => [String(document["channelId"]), document]));
    const changes = [...newest.values()].map(({ channelId: _id, createdAt }) => ({
      updateOne: {
        filter: { _id, lastActivityAt: { $exists: true } },
        update: { $max: { lastActivityAt: createdAt } },
      },
    }));
    await this.#options.db
      .collection("channels")
      .bulkWrite(changes, { ordered: false, writeConcern: DURABLE });
  }

  /** The names of files that can't be stored are added to the text. */
  async #addFiles({ line, files, ids, groupId, document }: Waiting): Promise<void> {
    const attachments: Attachment[] = [];
    const instead: string[] = [];
    for (const [index, kept] of files.entries()) {
      const stored = await this.#options.storing.store({
        fileId: String(ids.newId(fileIdOf(line.id, index))),
        ownerId: String(document["authorId"]),
        channelId: String(document["channelId"]),
        groupId,
        nonce: document["nonce"] as string,
        name: kept.name,
        bytes: kept.bytes,
        createdAt: document["createdAt"] as Date,
        open: () => this.#options.open(kept.key),
      });
      this.files[stored.outcome] += 1;
      if (stored.outcome === "stored") attachments.push(stored.attachment);
      else instead.push(kept.instead);
      this.#report();
    }
    const content = [document["content"] as string, ...instead].filter(Boolean).join("\n\n");
    document["content"] = content.slice(0, LIMITS.messageMaxChars).toWellFormed();
    if (attachments.length > 0) document["attachments"] = attachments;
  }

  /** Before the messages, which aren't looked at again once they are stored. */
  async #addReactions(messages: readonly Waiting[]): Promise<void> {
    let documents: mongo.Document[] = [];
    if (!this.#options.isNew && messages.some(({ reactions }) => reactions.length > 0))
      await recordReactions(
        this.#options.db,
        messages.map(({ document }) => document._id),
      );
    const store = async (): Promise<void> => {
      const some = documents;
      documents = [];
      if (some.length === 0) return;
      await this.#options.db
        .collection("reactions")
        .insertMany(some, { writeConcern: DURABLE, ordered: false })
        .catch((error: unknown) => {
          if (this.#options.isNew || !isOnlyDuplicates(error)) throw error;
        });
    };
    for (const { reactions, ids, document } of messages) {
      const shown = new Map<string, { emoji: string; count: number; userIds: string[] }>();
      const seen = new Set<string>();
      for (const { emoji, ...line } of reactions) {
        const userId = ids.userId(line.userId);
        // Several users of the export can be one account.
        const _id = new mongo.ObjectId(hashOf([String(document._id), emoji, String(userId)]).slice(0, 24));
        if (seen.has(String(_id))) continue;
        seen.add(String(_id));
        const one = shown.get(emoji) ?? { emoji, count: 0, userIds: [] };
        shown.set(emoji, one);
        one.count += 1;
        if (one.userIds.length < LIMITS.reactionUsersShown) one.userIds.push(String(userId));
        const { _id: messageId, channelId } = document;
        documents.push({ _id, channelId, messageId, emoji, userId });
        if (documents.length >= BATCH_REACTIONS) await store();
      }
      this.reactions += seen.size;
      if (shown.size > 0) document["reactions"] = [...shown.values()];
    }
    await store();
  }

  #report(): void {
    this.#options.onProgress({ messages: this.added + this.known, files: this.files.stored });
  }
}

/** The id that a file would have in the group file: of the same time as its message, and the same each time. */
const fileIdOf = (messageId: string, index: number): string =>
  messageId.slice(0, 8) + hashOf([messageId, index]).slice(0, 16);
