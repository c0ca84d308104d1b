import type { EventName, EventPayload, Head } from "@fanfare/contract";
import {
  boundedMap,
  currentScope,
  type DomainEvents,
  isExceeded,
  type Logger,
  type ServiceError,
  toServiceError,
  unavailable,
  entryLimit,
} from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { HEAD_MAX_AGE_MS, HEAD_READ_CONCURRENCY } from "../constants.ts";
import type { CommitStore } from "./database-store.ts";

export type ChangeEvent = "message.changed" | "message.deleted" | "reaction.changed";

type Announcement = Extract<EventName, "message.created" | ChangeEvent>;

export interface WriteContext {
  store: CommitStore;
  heads: HeadCache;
  publish: <N extends Announcement>(rooms: readonly string[], name: N, payload: EventPayload<N>) => void;
  /** The last `rev` published by this process, by channel. */
  published: LRUCache<string, number>;
  /** Notifies the other services of created messages. */
  broadcastStored: (stored: DomainEvents["message.stored"]) => void;
  logger: Pick<Logger, "error">;
  /** Called with the number of stored messages. */
  countStored: (messages: number) => void;
  /** Timeout of one write, from reading the heads to syncing the disk. */
  writeTimeoutMs: number;
}

/** The error for the sender of a failed write, who can retry with the same nonce. */
export function failure(error: unknown): ServiceError {
  const known = toServiceError(error);
  return known.type === "INTERNAL" ? unavailable() : known;
}

/**
 * Whether only this write was rejected, because its callers were gone or too many commands were waiting. Waiting items are then
 * still tried, unlike when the database is down.
 */
export function wasOnlyRefused(error: unknown): boolean {
  return isExceeded(currentScope()?.deadline) || toServiceError(error).type === "OVERLOADED";
}

/**
 * Publishes a stored change. If that fails it is only logged: the sender still gets the confirmation that it is stored.
 * @param change its position in the log: the changes of a channel are published in order of `rev`
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

const HEAD_AGE_RESOLUTION_MS = 1000;

/**
 * Caches the heads of recently written channels, so that assigning numbers needs no read. A cached head can be behind because
 * other workers write too; the next write is then rejected and retried. It is never ahead of the disk: only acknowledged or
 * majority-read values are cached, and an error clears the entry.
 */
export class HeadCache {
  readonly #heads: LRUCache<string, Head>;
  readonly #read: CommitStore["readHead"];

  /** @param maxAgeMs after this, numbers above the cached head may have been used and removed again */
  constructor(max: number, read: CommitStore["readHead"], maxAgeMs = HEAD_MAX_AGE_MS) {
    this.#heads = new LRUCache({ ...entryLimit(max), ttl: maxAgeMs, ttlResolution: HEAD_AGE_RESOLUTION_MS });
    this.#read = read;
  }

  async get(channelIds: readonly string[]): Promise<Map<string, Head>> {
    const known = new Map<string, Head>();
    const unknown: string[] = [];
    for (const channelId of channelIds) {
      const head = this.#heads.get(channelId);
      if (head === undefined) unknown.push(channelId);
      else known.set(channelId, head);
    }
    const heads = await boundedMap(unknown, HEAD_READ_CONCURRENCY, (channelId) => this.#read(channelId));
    for (const [i, channelId] of unknown.entries()) known.set(channelId, heads[i]!);
    return known;
  }

  set(channelId: string, head: Head): void {
    this.#heads.set(channelId, head);
  }

  evict(channelId: string): void {
    this.#heads.delete(channelId);
  }
}
