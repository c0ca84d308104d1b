import type { EventName, EventPayload } from "@fanfare/contract";
import type { Logger } from "@fanfare/kernel";
import type { BatchLedger } from "./batch-ledger.ts";
import type { Item } from "./item.ts";
import type { KnownHeads } from "./known-heads.ts";
import type { CommitStore } from "./store.ts";

export type Announcement = Extract<EventName, "message.created" | "message.changed" | "message.deleted">;

export interface WriteContext {
  store: CommitStore;
  heads: KnownHeads;
  ledger: BatchLedger;
  publish: <N extends Announcement>(rooms: readonly string[], name: N, payload: EventPayload<N>) => void;
  logger: Pick<Logger, "error" | "warn">;
  /** Told how many messages have been stored. */
  countStored: (messages: number) => void;
  /** Waits between the attempts to find out what became of a write. */
  settleDelaysMs: readonly number[];
  /** The longest that one batch may take from its numbers to the disk. */
  writeTimeoutMs: number;
  /** Readers take numbers that were taken longer ago than this without a message for holes. */
  pendingMaxAgeMs: number;
  /** Has a further item written. */
  enqueue: (channelId: string, item: Item) => void;
}
