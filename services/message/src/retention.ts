import { setTimeout as sleep } from "node:timers/promises";
import { type Head, LIMITS } from "@fanfare/contract";
import { defineRepository, ID, type NodeContext } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { NOTHING_LEFT } from "./change.ts";
import { seqAt } from "./read.ts";
import { OLD_PER_BATCH, PAUSE_AFTER_BATCH_MS, RETENTION_GRACE_MS } from "./bounds.ts";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { GroupCommit } from "./commit/group-commit.ts";
import { documentId } from "./database.ts";
import type { MessageDocument } from "./message.model.ts";
import type { MessageRepository } from "./message.repository.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface RetentionOptions {
  node: Pick<NodeContext, "services" | "broadcast"> & {
    config: Pick<NodeContext["config"], "retentionMaxDays">;
  };
  messages: Pick<MessageRepository, "from" | "head" | "deleteMany">;
  heads: Pick<ChannelHeadRepository, "retainFrom">;
  commit: Pick<GroupCommit, "change">;
  /** What belongs to messages. */
  others: readonly { deleteOfMany(messageIds: readonly string[]): Promise<void> }[];
  boundaries: RetentionRepository;
  roomsFor: (userId: string, channelId: string) => Promise<readonly string[]>;
  graceMs?: number;
}

/**
 * Removes messages that are older than their group, or the instance, keeps any: always the oldest of a channel, so that what is
 * left is the end of its log. That takes no number and publishes nothing; docs/adr/0004-message-log.md says why clients don't
 * need it. Each step can be repeated, by any worker.
 */
export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** One look at all channels. @param now milliseconds since the epoch @param signal ends it between two batches */
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
    const firstKept = await seqAt(messages, channelId, head.seq, cutoff.toISOString());
    await heads.retainFrom(channelId, firstKept);
    if (firstKept > head.seq) await this.#emptyNewest(channelId, head.seq);
    const boundary = await boundaries.find(channelId);
    if (boundary !== null && boundary.notedAt.getTime() > now - graceMs) return;
    if (boundary !== null)
      await this.#remove(channelId, Math.min(firstKept, boundary.seq), boundary.rev, signal);
    await boundaries.put(channelId, head, new Date(now));
  }

  /** The last message keeps the channel's numbers, and nothing else. */
  async #emptyNewest(channelId: string, seq: number): Promise<void> {
    const { messages, commit, roomsFor, others } = this.#options;
    const [newest] = await messages.from(channelId, seq, 1);
    if (newest === undefined || newest.seq !== seq || newest.deletedAt !== null) return;
    const messageId = documentId(newest);
    await commit.change(channelId, {
      messageId,
      set: { content: "", deletedAt: new Date(), ...NOTHING_LEFT },
      announce: "message.deleted",
      rooms: await roomsFor(newest.authorId.toHexString(), channelId),
    });
    for (const other of others) await other.deleteOfMany([messageId]);
    await this.#release(channelId, [newest]);
  }

  async #remove(channelId: string, belowSeq: number, belowRev: number, signal?: AbortSignal): Promise<void> {
    const { messages, others, node } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const page = await messages.from(channelId, 1, OLD_PER_BATCH);
      // Up to the first that has to stay: what is left must not have holes.
      const end = page.findIndex(({ seq, rev }) => seq >= belowSeq || rev >= belowRev);
      const old = end === -1 ? page : page.slice(0, end);
      if (old.length === 0) return;
      const messageIds = old.map(documentId);
      for (const other of others) await other.deleteOfMany(messageIds);
      await this.#release(channelId, old);
      // The last: a worker that dies before finds them again.
      await messages.deleteMany(old, belowRev);
      node.broadcast("message.removed", { channelId, messageIds });
      if (end !== -1) return;
      await sleep(PAUSE_AFTER_BATCH_MS);
    }
  }

  async #release(channelId: string, old: readonly MessageDocument[]): Promise<void> {
    const fileIds = old.flatMap(({ attachments }) => attachments?.map(({ fileId }) => fileId) ?? []);
    const { services } = this.#options.node;
    for (let at = 0; at < fileIds.length; at += LIMITS.attachmentsPerMessage) {
      const some = fileIds.slice(at, at + LIMITS.attachmentsPerMessage);
      // Files that miss this find out by themselves.
      await services.file.release({ channelId, fileIds: some }).catch(() => undefined);
    }
  }
}

/** Where a channel with old messages stood some time ago: only what is below it is removed. */
interface BoundaryDocument extends Head {
  /** The channel's id. */
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

export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

/** Every query of the boundaries. */
export const createRetentionRepository = defineRepository(
  { name: "RetentionBoundary", schema },
  ({ model: boundaries }) => ({
    find(channelId: string): Promise<BoundaryDocument | null> {
      return boundaries.findById(channelId).lean().exec();
    },

    async put(channelId: string, { seq, rev }: Head, notedAt: Date): Promise<void> {
      await boundaries.updateOne({ _id: channelId }, { $set: { seq, rev, notedAt } }, { upsert: true });
    },

    /** @returns how many were deleted, which is one at most */
    async deleteSome(channelId: string): Promise<number> {
      return (await boundaries.deleteOne({ _id: channelId })).deletedCount;
    },
  }),
);
