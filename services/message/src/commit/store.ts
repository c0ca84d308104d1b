import type { MessageDocument } from "../message.model.ts";

/** Where the numbers of a channel stand, as far as this process knows. */
export interface KnownHead {
  seq: number;
  rev: number;
  /** false: the channel has no head document yet. */
  exists: boolean;
  /** Batches that are finished, or whose worker died, and are to be taken out of `pending`. */
  finished: string[];
}

/** Moves the head of one channel on from where it is thought to be. */
export interface Take {
  channelId: string;
  from: KnownHead;
  /** How many numbers of each kind. */
  seqs: number;
  revs: number;
}

export interface Change {
  messageId: string;
  channelId: string;
  rev: number;
  set: Partial<Pick<MessageDocument, "content" | "editedAt" | "deletedAt">>;
}

/** Why a message of an insert was not stored. */
export type InsertFault = "nonce exists" | "seq exists" | { error: unknown };

/** The database, as the group commit sees it. Everything that throws leaves the outcome unknown, except `numbers`. */
export interface CommitStore {
  /** The heads of all these channels; those never written to stand at 0. */
  readHeads(channelIds: readonly string[]): Promise<Map<string, KnownHead>>;
  /**
   * Takes numbers in each channel whose head is still where it is thought to be, and notes them as pending.
   * @returns the channels whose head was elsewhere; nothing was taken there
   */
  takeNumbers(batchId: string, at: Date, takes: readonly Take[], timeoutMs: number): Promise<Set<string>>;
  /**
   * Stores messages durably.
   * @returns the faults by the message's position; what is not there is on disk
   */
  insert(messages: readonly MessageDocument[], timeoutMs: number): Promise<Map<number, InsertFault>>;
  /** Changes a message that is not deleted and has no later change. Null: there is none. */
  change(change: Change, timeoutMs: number): Promise<MessageDocument | null>;
  /** The message of a nonce, when it is sure to stay. */
  findDurable(channelId: string, authorId: string, nonce: string): Promise<MessageDocument | null>;
  /** Raises the head to the highest numbers in use. */
  heal(channelId: string): Promise<void>;
  /**
   * After a write whose outcome is unknown: which of these messages are durably stored with just this rev?
   * @param revs by message id
   */
  settle(channelIds: readonly string[], revs: ReadonlyMap<string, number>): Promise<MessageDocument[]>;
}
