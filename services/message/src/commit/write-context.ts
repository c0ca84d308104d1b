import type { EventPayload, EventName } from "@fanfare/contract";
import {
  currentScope,
  hasPassed,
  serviceError,
  toServiceError,
  type ServiceError,
  type DomainEvents,
  type Logger,
} from "@fanfare/kernel";
import type { LRUCache } from "lru-cache";
import { RETRY_AFTER_MS } from "../bounds.ts";
import type { CommitStore } from "./database-store.ts";
import type { KnownHeads } from "./known-heads.ts";

export type ChangeEvent = "message.changed" | "message.deleted" | "reaction.changed";

type Announcement = Extract<EventName, "message.created" | ChangeEvent>;

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

/** Why a write failed, for its sender, who may repeat it with the same nonce. */
export function failure(error: unknown): ServiceError {
  const known = toServiceError(error);
  return known.type === "INTERNAL" ? serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }) : known;
}

/**
 * Whether only this write was refused: its callers had gone, or too many commands waited. Then what waits behind it is tried,
 * which it is not when the database is away.
 */
export function wasOnlyRefused(error: unknown): boolean {
  return hasPassed(currentScope()?.deadline) || toServiceError(error).type === "OVERLOADED";
}

/**
 * Publishes a stored change. A failing publication is only logged: its sender is still told that the change is stored.
 * @param change where it stands in the log: a channel's changes are announced in the order of `rev`
 */
export function announce<N extends Announcement>(
  { publish, published, logger }: Pick<WriteContext, "publish" | "published" | "logger">,
  change: { channelId: string; rev: number },
  rooms: readonly string[],
  name: N,
  payload: EventPayload<N>,
): void {
  published.set(change.channelId, change.rev);
  try {
    publish(rooms, name, payload);
  } catch (error) {
    logger.error({ err: error }, "publication failed");
  }
}
