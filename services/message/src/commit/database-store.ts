import { duplicateKeyIndex } from "@fanfare/kernel";
import { mongo } from "mongoose";
import type { ChannelHeadRepository, HeadStep } from "../channel-head.repository.ts";
import { documentId } from "../document-id.ts";
import { PENDING_MAX_AGE_MS } from "../limits.ts";
import { NONCE_INDEX, SEQ_INDEX, type MessageDocument } from "../message.model.ts";
import type { MessageRepository } from "../message.repository.ts";
import type { BatchLedger } from "./batch-ledger.ts";
import type { Change, CommitStore, InsertFault, KnownHead, Take } from "./store.ts";

const DUPLICATE_KEY = 11_000;

/** The group commit's store on MongoDB. */
export class DatabaseStore implements CommitStore {
  readonly #messages: MessageRepository;
  readonly #heads: ChannelHeadRepository;
  readonly #ledger: Pick<BatchLedger, "state">;

  constructor(messages: MessageRepository, heads: ChannelHeadRepository, ledger: Pick<BatchLedger, "state">) {
    this.#ledger = ledger;
    this.#messages = messages;
    this.#heads = heads;
  }

  async readHeads(channelIds: readonly string[]): Promise<Map<string, KnownHead>> {
    const heads = new Map<string, KnownHead>();
    const expired = Date.now() - PENDING_MAX_AGE_MS;
    for (const { _id, seq, rev, pending = {} } of await this.#heads.findMany(channelIds)) {
      const finished = Object.keys(pending).filter(
        (id) => pending[id]!.at.getTime() < expired || this.#ledger.state(id) === "closed",
      );
      heads.set(documentId({ _id }), { seq, rev, exists: true, finished });
    }
    const absent = channelIds.filter((id) => !heads.has(id));
    if (absent.length > 0) await this.#readAbsent(absent, heads);
    return heads;
  }

  /** A channel without a head has no messages either, unless the heads have been lost. */
  async #readAbsent(absent: readonly string[], heads: Map<string, KnownHead>): Promise<void> {
    const isLost = (await this.#messages.anyOf(absent)) !== null;
    for (const channelId of absent) {
      const highest = isLost ? await this.#messages.highest(channelId) : { seq: 0, rev: 0 };
      if (highest.rev > 0) await this.#heads.raise(channelId, highest);
      heads.set(channelId, { ...highest, exists: highest.rev > 0, finished: [] });
    }
  }

  async takeNumbers(
    batchId: string,
    at: Date,
    takes: readonly Take[],
    timeoutMs: number,
  ): Promise<Set<string>> {
    const steps = takes.map(({ channelId, from, seqs, revs }): HeadStep => ({
      channelId,
      from,
      to: { seq: from.seq + seqs, rev: from.rev + revs },
      pending: { rev: from.rev + 1, count: revs, seq: from.seq + 1, messages: seqs, at },
      finished: from.finished,
    }));
    try {
      if ((await this.#heads.advance(batchId, steps, timeoutMs)) === steps.length) return new Set();
    } catch (error) {
      // Somebody else wrote the first message of a channel.
      if (duplicateKeyIndex(error) === null) throw error;
    }
    const elsewhere = new Set(takes.map(({ channelId }) => channelId));
    for (const { _id, pending } of await this.#heads.findMany([...elsewhere])) {
      if (pending?.[batchId] !== undefined) elsewhere.delete(documentId({ _id }));
    }
    return elsewhere;
  }

  async insert(messages: readonly MessageDocument[], timeoutMs: number): Promise<Map<number, InsertFault>> {
    try {
      await this.#messages.insertMany(messages, timeoutMs);
      return new Map();
    } catch (error) {
      if (
        !(error instanceof mongo.MongoBulkWriteError) ||
        error.result.getWriteConcernError() !== undefined
      ) {
        throw error;
      }
      return new Map(error.result.getWriteErrors().map((fault) => [fault.index, insertFault(fault)]));
    }
  }

  change({ channelId, messageId, rev, set }: Change, timeoutMs: number): Promise<MessageDocument | null> {
    return this.#messages.change(channelId, messageId, rev, set, timeoutMs);
  }

  async findDurable(channelId: string, authorId: string, nonce: string): Promise<MessageDocument | null> {
    const found = await this.#messages.findByNonce(channelId, authorId, nonce);
    // Whoever stored it may still be waiting for the disk.
    if (found !== null) await this.#heads.confirm([channelId]);
    return found;
  }

  async heal(channelId: string): Promise<void> {
    await this.#heads.raise(channelId, await this.#messages.highest(channelId));
  }

  async settle(channelIds: readonly string[], revs: ReadonlyMap<string, number>): Promise<MessageDocument[]> {
    await this.#heads.confirm(channelIds);
    const found = await this.#messages.findMany([...revs.keys()]);
    return found.filter((message) => revs.get(documentId(message)) === message.rev);
  }
}

function insertFault(fault: mongo.WriteError): InsertFault {
  if (fault.code === DUPLICATE_KEY && fault.errmsg?.includes(NONCE_INDEX)) return "nonce exists";
  if (fault.code === DUPLICATE_KEY && fault.errmsg?.includes(SEQ_INDEX)) return "seq exists";
  return { error: fault };
}
