import type { Head } from "@fanfare/contract";
import { duplicateKeyIndex, refusedOperations } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import type { ChannelHeadRepository } from "../channel-head.repository.ts";
import {
  NONCE_INDEX,
  REVS_INDEX,
  SEQ_INDEX,
  type MessageDocument,
  type MessageChange,
} from "../message.model.ts";
import type { MessageRepository } from "../message.repository.ts";

export interface Change {
  messageId: string;
  channelId: string;
  rev: number;
  set: MessageChange;
  /** Only while this is the number of the message's last change. */
  ifRev?: number | undefined;
}

export type ChangeOutcome =
  | { outcome: "changed"; message: MessageDocument }
  /** There is no message that is not deleted. */
  | { outcome: "gone" }
  /** The message's last change is not `ifRev`. */
  | { outcome: "outdated" }
  /** The message can be changed, but not to this number. */
  | { outcome: "numberTaken" };

/** Why a message of an insert was not stored. */
export type InsertFault =
  | { reason: "nonceExists" }
  | { reason: "numberTaken" }
  | { reason: "failed"; error: unknown };

/**
 * The database, as the group commit sees it. What is answered is durable; after an error it is not known whether the write
 * has happened, nor whether it is still to happen.
 */
export interface CommitStore {
  /** Where the messages of a channel stand. */
  readHead(channelId: string): Promise<Head>;
  /**
   * @param ordered one after the other, and none after the first fault; otherwise each by itself
   * @returns the faults by the message's position
   */
  insert(
    messages: readonly MessageDocument[],
    ordered: boolean,
    timeoutMs: number,
  ): Promise<Map<number, InsertFault>>;
  change(change: Change, timeoutMs: number): Promise<ChangeOutcome>;
  /** Raises what lists of channels show to at least these numbers. */
  raiseHeads(heads: ReadonlyMap<string, Head>, timeoutMs: number): Promise<void>;
  /** The message of a nonce, as it is sure to stay. */
  findByNonce(
    channelId: string,
    authorId: string,
    nonce: string,
    timeoutMs: number,
  ): Promise<MessageDocument | null>;
}

const DUPLICATE_KEY = 11_000;

/** The group commit's store on MongoDB. */
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
      return new Map(refusedOperations(error).map((fault) => [fault.index, insertFault(fault)]));
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

  raiseHeads(heads: ReadonlyMap<string, Head>, timeoutMs: number): Promise<void> {
    return this.#heads.raise(heads, timeoutMs);
  }

  async findByNonce(
    channelId: string,
    authorId: string,
    nonce: string,
    timeoutMs: number,
  ): Promise<MessageDocument | null> {
    const found = await this.#messages.findByNonce(channelId, authorId, nonce, false);
    if (found === null) return null;
    // The worker that stored it may have died before it raised the head, or may wait for the disk: this write waits for both.
    await this.#heads.raise(new Map([[channelId, found]]), timeoutMs);
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
