import type { Head } from "@fanfare/contract";
import { duplicateKeyIndex, rejectedOperations } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import type { ChannelHeadRepository, RaisedHead } from "../channel-head.repository.ts";
import {
  NONCE_INDEX,
  REVS_INDEX,
  SEQ_INDEX,
  type MessageDocument,
  type MessageChange,
} from "../message.model.ts";
import type { MessageRepository } from "../message.repository.ts";

/** Identifies a message that may have been stored before. */
export interface Sent {
  authorId: string;
  nonce: string;
  /** The group of a thread. */
  threadOf?: string | undefined;
}

export interface Change {
  messageId: string;
  channelId: string;
  rev: number;
  set: MessageChange;
  /** Apply only if this is the current rev of the message. */
  ifRev?: number | undefined;
}

export type ChangeOutcome =
  | { outcome: "changed"; message: MessageDocument }
  /** The message doesn't exist or is deleted. */
  | { outcome: "gone" }
  /** The rev of the message is not `ifRev`. */
  | { outcome: "outdated" }
  /** The new rev is already in use. */
  | { outcome: "numberTaken" };

/** Why a message wasn't inserted. */
export type InsertFault =
  | { reason: "nonceExists" }
  | { reason: "numberTaken" }
  | { reason: "failed"; error: unknown };

/**
 * The database as seen by the group commit. Results are durable. After an error it is unknown whether the write was or will still
 * be carried out.
 */
export interface CommitStore {
  /** The current head of a channel. */
  readHead(channelId: string): Promise<Head>;
  /**
   * @param ordered insert one after another and stop at the first failure; otherwise independently
   * @returns the failures by index
   */
  insert(
    messages: readonly MessageDocument[],
    ordered: boolean,
    timeoutMs: number,
  ): Promise<Map<number, InsertFault>>;
  change(change: Change, timeoutMs: number): Promise<ChangeOutcome>;
  /** Raises the heads shown in channel lists to at least these values. */
  raiseHeads(heads: ReadonlyMap<string, RaisedHead>, timeoutMs: number): Promise<void>;
  /** The message with this nonce, once it can't be rolled back. */
  findByNonce(channelId: string, sent: Sent, timeoutMs: number): Promise<MessageDocument | null>;
}

const DUPLICATE_KEY = 11_000;

/** Implements the store with MongoDB. */
export class DatabaseStore implements CommitStore {
  readonly #messages: MessageRepository;
  readonly #heads: ChannelHeadRepository;

  constructor(messages: MessageRepository, heads: ChannelHeadRepository) {
    this.#messages = messages;
    this.#heads = heads;
  }

  readHead(channelId: string): Promise<Head> {
    return this.#messages.head(channelId);
  }

  async insert(
    messages: readonly MessageDocument[],
    ordered: boolean,
    timeoutMs: number,
  ): Promise<Map<number, InsertFault>> {
    try {
      await this.#messages.insertMany(messages, ordered, timeoutMs);
      return new Map();
    } catch (error) {
      return new Map(rejectedOperations(error).map((fault) => [fault.index, insertFault(fault)]));
    }
  }

  async change({ channelId, messageId, rev, set, ifRev }: Change, timeoutMs: number): Promise<ChangeOutcome> {
    try {
      const changed = await this.#messages.change(channelId, messageId, rev, set, timeoutMs, ifRev);
      if (changed !== null) return { outcome: "changed", message: changed };
    } catch (error) {
      if (duplicateKeyIndex(error) === REVS_INDEX) return { outcome: "numberTaken" };
      throw error;
    }
    const message = await this.#messages.find(channelId, messageId);
    if (message === null || message.deletedAt !== null) return { outcome: "gone" };
    if (ifRev !== undefined && message.rev !== ifRev) return { outcome: "outdated" };
    return { outcome: "numberTaken" };
  }

  raiseHeads(heads: ReadonlyMap<string, RaisedHead>, timeoutMs: number): Promise<void> {
    return this.#heads.raise(heads, timeoutMs);
  }

  async findByNonce(
    channelId: string,
    { authorId, nonce, threadOf }: Sent,
    timeoutMs: number,
  ): Promise<MessageDocument | null> {
    const found = await this.#messages.findByNonce(channelId, authorId, nonce, false);
    if (found === null) return null;
    // The worker that stored it may have died before raising the head, or be waiting for the disk: this write waits for both.
    const { seq, rev } = found;
    await this.#heads.raise(new Map([[channelId, { seq, rev, threadOf }]]), timeoutMs);
    return this.#messages.findByNonce(channelId, authorId, nonce, true);
  }
}

function insertFault(fault: mongo.WriteError): InsertFault {
  const failed = { reason: "failed", error: fault } as const;
  if (fault.code !== DUPLICATE_KEY) return failed;
  if (fault.errmsg?.includes(NONCE_INDEX)) return { reason: "nonceExists" };
  const isNumber = [SEQ_INDEX, REVS_INDEX].some((index) => fault.errmsg?.includes(index));
  return isNumber ? { reason: "numberTaken" } : failed;
}
