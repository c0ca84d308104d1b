import type { Head } from "@fanfare/contract";
import type { ChannelHeadRepository } from "../channel-head.repository.ts";
import type { HeadDocument } from "../channel-head.model.ts";
import type { BatchLedger } from "../commit/batch-ledger.ts";
import type { MessageRepository } from "../message.repository.ts";
import { missingRevs } from "./missing-revs.ts";

/** Where a channel stands, for a reader that reads its messages afterwards. */
export interface Position {
  head: Head;
  missingRevs: number[];
}

/** Tells readers what they have when they have read a channel. */
export class Positions {
  readonly #heads: ChannelHeadRepository;
  readonly #messages: MessageRepository;
  readonly #ledger: BatchLedger;

  constructor(heads: ChannelHeadRepository, messages: MessageRepository, ledger: BatchLedger) {
    this.#heads = heads;
    this.#messages = messages;
    this.#ledger = ledger;
  }

  async read(channelId: string): Promise<Position> {
    return this.describe(channelId, await this.#heads.find(channelId), 0);
  }

  /** @param head as it was read; null where the channel has none */
  async describe(channelId: string, head: HeadDocument | null, afterRev: number): Promise<Position> {
    if (head === null) return { head: { seq: 0, rev: 0 }, missingRevs: [] };
    const { seq, rev, pending } = head;
    return {
      head: { seq, rev },
      missingRevs: await missingRevs({
        pending,
        afterRev,
        ledger: this.#ledger,
        storedSeqs: (seqs) => this.#messages.storedSeqs(channelId, seqs),
        storedRevs: (revs) => this.#messages.storedRevs(channelId, revs),
        nowMs: Date.now(),
      }),
    };
  }
}
