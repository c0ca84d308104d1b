import type { Head } from "@fanfare/contract";
import type { MessageChange, MessageDocument } from "../message.model.ts";

export interface Change {
  messageId: string;
  channelId: string;
  rev: number;
  set: MessageChange;
  /** Only while this is the number of the message's last change. */
  ifRev?: number | undefined;
}

export type ChangeOutcome = MessageDocument | "number taken" | "changed" | null;

/** Why a message of an insert was not stored. */
export type InsertFault = "nonce exists" | "number taken" | { error: unknown };

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
  /** Changes a message. Null: there is none that is not deleted. "changed": its last change is not `ifRev`. */
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
