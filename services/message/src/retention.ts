import { setTimeout as sleep } from "node:timers/promises";
import { type Head, LIMITS } from "@fanfare/contract";
import { chunks, defineRepository, ID, type NodeContext } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { NOTHING_LEFT } from "./change.ts";
import {
  RETENTION_BATCH,
  RETENTION_BATCH_PAUSE_MS,
  RETENTION_GRACE_MS,
  RETENTION_SCAN,
} from "./constants.ts";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { GroupCommit } from "./commit/group-commit.ts";
import { documentId, type MessageDocument } from "./message.model.ts";
import type { Holds } from "./hold/holds.ts";
import type { MessageRepository } from "./message.repository.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface RetentionOptions {
  node: Pick<NodeContext, "services" | "broadcast"> & {
    config: Pick<NodeContext["config"], "retentionMaxDays">;
  };
  messages: Pick<MessageRepository, "from" | "timesFrom" | "head" | "deleteMany">;
  heads: Pick<ChannelHeadRepository, "retainFrom">;
  commit: Pick<GroupCommit, "change">;
  /** Repositories of data that belongs to messages. */
  others: readonly { deleteOfMany(messageIds: readonly string[]): Promise<void> }[];
  holds: Pick<Holds, "keep">;
  boundaries: RetentionRepository;
  roomsFor: (userId: string, channelId: string) => Promise<readonly string[]>;
  graceMs?: number;
}

/**
 * Removes messages older than the retention of their group or the instance: always the oldest ones of a channel, so that the rest
 * is the end of its log. This uses no numbers and publishes nothing; docs/adr/0004-message-log.md explains why clients don't need
 * it. Each step is idempotent and can be done by any worker.
 */
export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Checks all channels once. @param now milliseconds since the epoch @param signal stops it between two batches */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    const { services, config } = this.#options.node;
    let afterChannelId: string | null | undefined;
    while (afterChannelId !== null) {
      const page = await services.group.listRetention({
        limit: LIMITS.channelsPerRetentionPage,
        ...(afterChannelId !== undefined && { afterChannelId }),
      });
      for (const { channelId, days } of page.channels) {
        const kept = Math.min(days ?? Infinity, config.retentionMaxDays ?? Infinity);
        if (kept !== Infinity) await this.#sweepChannel(channelId, kept, now, signal);
        signal?.throwIfAborted();
      }
      afterChannelId = page.nextChannelId;
    }
  }

  async #sweepChannel(channelId: string, days: number, now: number, signal?: AbortSignal): Promise<void> {
    const { messages, heads, boundaries, graceMs = RETENTION_GRACE_MS } = this.#options;
    const cutoff = new Date(now - days * DAY_MS);
    const [oldest] = await messages.from(channelId, 1, 1);
    if (oldest === undefined || oldest.createdAt >= cutoff) return;
    const head = await messages.head(channelId);
    if (oldest.seq === head.seq && oldest.deletedAt !== null) return;
    const firstKept = (await this.#firstSince(channelId, cutoff, signal)) ?? head.seq + 1;
    await heads.retainFrom(channelId, firstKept);
    if (firstKept > head.seq) await this.#emptyNewest(channelId, head.seq);
    const boundary = await boundaries.find(channelId);
    if (boundary !== null && boundary.notedAt.getTime() > now - graceMs) return;
    if (boundary !== null)
      await this.#remove(channelId, Math.min(firstKept, boundary.seq), boundary.rev, signal);
    await boundaries.put(channelId, head, new Date(now));
  }

  /**
   * The seq of the first message since the cutoff, or null. All messages before it are read, because imports add old messages
   * after newer ones.
   */
  async #firstSince(channelId: string, cutoff: Date, signal?: AbortSignal): Promise<number | null> {
    for (let fromSeq = 1; ;) {
      signal?.throwIfAborted();
      const page = await this.#options.messages.timesFrom(channelId, fromSeq, RETENTION_SCAN);
      const kept = page.find(({ createdAt }) => createdAt >= cutoff);
      if (kept !== undefined) return kept.seq;
      if (page.length < RETENTION_SCAN) return null;
      fromSeq = page.at(-1)!.seq + 1;
    }
  }

  /** The last message stays, without content, because it holds the numbers of the channel. */
  async #emptyNewest(channelId: string, seq: number): Promise<void> {
    const { messages, holds, commit, roomsFor, others } = this.#options;
    const [newest] = await messages.from(channelId, seq, 1);
    if (newest === undefined || newest.seq !== seq || newest.deletedAt !== null) return;
    const messageId = documentId(newest);
    await holds.keep([newest]);
    const { outcome } = await commit.change(channelId, {
      messageId,
      set: { content: "", deletedAt: new Date(), ...NOTHING_LEFT },
      // The kept copy must match what is deleted.
      ifRev: newest.rev,
      announce: "message.deleted",
      rooms: await roomsFor(newest.authorId.toHexString(), channelId),
    });
    // The next sweep tries again.
    if (outcome === "outdated") return;
    for (const other of others) await other.deleteOfMany([messageId]);
    await this.#release(channelId, [newest]);
  }

  async #remove(channelId: string, belowSeq: number, belowRev: number, signal?: AbortSignal): Promise<void> {
    const { messages, holds, others, node } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const page = await messages.from(channelId, 1, RETENTION_BATCH);
      // Stop at the first message that has to stay: the rest must not have holes.
      const end = page.findIndex(({ seq, rev }) => seq >= belowSeq || rev >= belowRev);
      const old = end === -1 ? page : page.slice(0, end);
      if (old.length === 0) return;
      const messageIds = old.map(documentId);
      await this.#release(channelId, old);
      await holds.keep(old);
      for (const other of others) await other.deleteOfMany(messageIds);
      // Last, so that if the worker dies earlier they are found again.
      await messages.deleteMany(old, belowRev);
      node.broadcast("message.removed", { channelId, messageIds });
      if (end !== -1) return;
      await sleep(RETENTION_BATCH_PAUSE_MS);
    }
  }

  async #release(channelId: string, old: readonly MessageDocument[]): Promise<void> {
    const fileIds = old.flatMap(({ attachments }) => attachments?.map(({ fileId }) => fileId) ?? []);
    const { services } = this.#options.node;
    for (const some of chunks(fileIds, LIMITS.attachmentsPerMessage)) {
      // Files that miss this are removed by the cleanup sweep.
      await services.file.release({ channelId, fileIds: some }).catch(() => undefined);
    }
  }
}

/** The head of a channel with old messages some time ago: only messages below it are removed. */
interface BoundaryDocument extends Head {
  /** The channel id. */
  _id: string;
  notedAt: Date;
}

const schema = new Schema<BoundaryDocument>(
  {
    _id: ID,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    notedAt: { type: Date, required: true },
  },
  { collection: "retentionBoundaries" },
);

type RetentionRepository = ReturnType<typeof createRetentionRepository>;

/** Queries of the retention boundaries. */
export const createRetentionRepository = defineRepository(
  { name: "RetentionBoundary", schema },
  ({ model: boundaries }) => ({
    find(channelId: string): Promise<BoundaryDocument | null> {
      return boundaries.findById(channelId).lean().exec();
    },

    async put(channelId: string, { seq, rev }: Head, notedAt: Date): Promise<void> {
      await boundaries.updateOne({ _id: channelId }, { $set: { seq, rev, notedAt } }, { upsert: true });
    },

    /** @returns the number of deleted boundaries: at most one */
    async deleteSome(channelId: string): Promise<number> {
      return (await boundaries.deleteOne({ _id: channelId })).deletedCount;
    },
  }),
);
