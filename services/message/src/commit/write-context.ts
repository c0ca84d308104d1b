import type { EventName, EventPayload } from "@fanfare/contract";
import type { DomainEvents, Logger } from "@fanfare/kernel";
import type { LRUCache } from "lru-cache";
import type { KnownHeads } from "./known-heads.ts";
import type { CommitStore } from "./store.ts";

export type ChangeEvent = "message.changed" | "message.deleted" | "reaction.changed";
export type Announcement = Extract<EventName, "message.created" | ChangeEvent>;

export interface WriteContext {
  store: CommitStore;
  heads: KnownHeads;
  publish: <N extends Announcement>(rooms: readonly string[], name: N, payload: EventPayload<N>) => void;
  /** The `rev` that this process published last, by channel. */
  published: LRUCache<string, number>;
  /** Told to the other services of what was created. */
  tellStored: (stored: DomainEvents["message.stored"]) => void;
  logger: Pick<Logger, "error">;
  /** Told how many messages have been stored. */
  countStored: (messages: number) => void;
  /** The longest that one write may take, from the reading of the heads to the disk. */
  writeTimeoutMs: number;
}
