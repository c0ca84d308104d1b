import type { EventName, EventPayload, Head } from "@fanfare/contract";
import {
  boundedMap,
  currentScope,
  type DomainEvents,
  hasPassed,
  type Logger,
  serviceError,
  type ServiceError,
  toServiceError,
  upTo,
} from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { HEAD_MAX_AGE_MS, HEAD_READ_CONCURRENCY, RETRY_AFTER_MS } from "../bounds.ts";
import type { CommitStore } from "./database-store.ts";

export type ChangeEvent = "message.changed" | "message.deleted" | "reaction.changed";

type Announcement = Extract<EventName, "message.created" | ChangeEvent>;

export interface WriteContext {
  store: CommitStore;
  heads: KnownHeads;
  publish: <N extends Announcement>(rooms: readonly string[], name: N, payload: EventPayload<N>) => void;
  /** The `rev` that this process published last, by channel. */
  published: LRUCache<string, number>;
  /** Sent to the other services for created messages. */
  broadcastStored: (stored: DomainEvents["message.stored"]) => void;
  logger: Pick<Logger, "error">;
  /** Called with the number of stored messages. */
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
 * Publishes a stored change. A failing publication is only logged: its sender still gets the answer that the change is stored.
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

const HEAD_AGE_RESOLUTION_MS = 1000;

/**
 * Where recently written channels stand, so that numbering needs no read. A head that is remembered may be behind, because
 * other workers write too: then the next write is refused. It is never ahead of what is on disk: only what was
 * acknowledged or read as lasting is remembered, and nothing after an error.
 */
export class KnownHeads {
  readonly #heads: LRUCache<string, Head>;
  readonly #read: CommitStore["readHead"];

  /** @param maxAgeMs numbers that were free so long ago may have been taken and removed since */
  constructor(max: number, read: CommitStore["readHead"], maxAgeMs = HEAD_MAX_AGE_MS) {
    this.#heads = new LRUCache({ ...upTo(max), ttl: maxAgeMs, ttlResolution: HEAD_AGE_RESOLUTION_MS });
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

  forget(channelId: string): void {
    this.#heads.delete(channelId);
  }
}
