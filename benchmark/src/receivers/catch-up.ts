import type { ChannelSync, Message, WireAnswer } from "@fanfare/contract";
import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import { taggedIndex } from "./message-tag.ts";

/** This many changes that arrived early are remembered; the next sync returns the others again. */
const MAX_AHEAD = 1000;

/**
 * How far a receiver has the channel of the run without a gap. It survives a lost connection, as the cursor for
 * `channel.sync`. In this channel messages are only created, so that a message's `seq` and `rev` are equal.
 */
export class ChannelPosition {
  readonly channelId: string;
  #rev = 0;
  readonly #ahead = new Set<number>();

  constructor(channelId: string) {
    this.channelId = channelId;
  }

  /** All changes up to this one have been received. */
  get rev(): number {
    return this.#rev;
  }

  get hasGap(): boolean {
    return this.#ahead.size > 0;
  }

  received(revs: readonly number[]): void {
    for (const rev of revs) {
      if (rev === this.#rev + 1) this.#rev = rev;
      else if (rev > this.#rev && this.#ahead.size < MAX_AHEAD) this.#ahead.add(rev);
    }
    if (this.#ahead.size > 0) this.#settle();
  }

  /** An answer had everything up to here. */
  synced(rev: number): void {
    this.#rev = Math.max(this.#rev, rev);
    this.#settle();
  }

  #settle(): void {
    while (this.#ahead.has(this.#rev + 1)) this.#rev++;
    for (const rev of this.#ahead) if (rev <= this.#rev) this.#ahead.delete(rev);
  }
}

const PAGE_MESSAGES = 100;
/** After a rejection without a retry time. */
const RETRY_MS = 500;
/** The missing event is often only late, and all connections that lost it noticed at the same moment. */
const GAP_WAIT_MS = 200;
/** If a call is not answered by then, the connection is closed. */
const ANSWER_TIMEOUT_MS = 15_000;

/** The answer to a call, as far as catching up needs it. Identical bytes for all who missed the same: decoded once. */
export type CatchUpAnswer =
  | { kind: "synced"; status: ChannelSync["status"]; indexes: readonly number[]; headRev: number }
  | { kind: "page"; indexes: readonly number[]; revs: readonly number[]; hasMore: boolean }
  | { kind: "refused"; code: string; retryAfterMs: number };

/** @returns undefined if the answer is malformed */
export function readCatchUpAnswer(answer: unknown, runId: string): CatchUpAnswer | undefined {
  const wire = answer as WireAnswer<{
    channels?: ChannelSync[];
    messages?: Message[];
    hasMore?: boolean;
  }> | null;
  if (typeof wire?.ok !== "boolean") return undefined;
  if (!wire.ok) {
    const { retryAfterMs = RETRY_MS } = (wire.error.data ?? {}) as { retryAfterMs?: number };
    return { kind: "refused", code: wire.error.type, retryAfterMs };
  }
  const indexesOf = (messages: readonly Message[]) =>
    messages.map(({ content }) => taggedIndex(runId, content));
  const [channel] = wire.data.channels ?? [];
  if (channel) {
    const { status, messages, head } = channel;
    return { kind: "synced", status, indexes: indexesOf(messages), headRev: head.rev };
  }
  const { messages, hasMore = false } = wire.data;
  if (messages === undefined) return undefined;
  return { kind: "page", indexes: indexesOf(messages), revs: messages.map(({ rev }) => rev), hasMore };
}

interface CatchUpHandler {
  write(frame: Buffer): void;
  recovered(indexes: readonly number[]): void;
  /** Everything the server had when it answered has been received. */
  caughtUp(): void;
  failed(code: string): void;
}

/** Fetches what a connection has missed, one call at a time, until nothing is missing. */
export class CatchUp {
  readonly #position: ChannelPosition;
  readonly #handler: CatchUpHandler;
  #timer: NodeJS.Timeout | undefined;
  #isRequesting = false;
  /** Something was missed while a call was in flight. */
  #isInDoubt = false;

  constructor(position: ChannelPosition, handler: CatchUpHandler) {
    this.#position = position;
    this.#handler = handler;
  }

  /** Starts at once: events may have been missed. */
  start(): void {
    this.#isInDoubt = this.#isRequesting;
    if (this.#isRequesting) return;
    const { channelId, rev } = this.#position;
    this.#ask("channel.sync", { cursors: [{ channelId, afterRev: rev }] });
  }

  received(revs: readonly number[]): void {
    this.#position.received(revs);
    if (this.#position.hasGap && !this.#isRequesting && this.#timer === undefined)
      this.#later(Math.random() * GAP_WAIT_MS);
  }

  answered(answer: CatchUpAnswer): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isRequesting = false;
    if (answer.kind === "refused") return this.#later(answer.retryAfterMs * (1 + Math.random()));
    if (answer.kind === "synced" && answer.status === "gone") return this.#handler.failed("CHANNEL_GONE");
    if (answer.kind === "synced" && answer.status === "resync") return this.#requestPage();
    this.#handler.recovered(answer.indexes);
    if (answer.kind === "page") {
      this.#position.synced(answer.revs.at(-1) ?? 0);
      if (answer.hasMore) this.#requestPage();
      else this.start();
    } else {
      this.#position.synced(answer.headRev);
      this.#handler.caughtUp();
      if (this.#isInDoubt) this.start();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #later(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, waitMs);
  }

  #requestPage(): void {
    const { channelId, rev } = this.#position;
    this.#ask("message.list", { channelId, after: rev, limit: PAGE_MESSAGES });
  }

  #ask(action: string, params: object): void {
    this.#isRequesting = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#handler.failed("SYNC_TIMEOUT"), ANSWER_TIMEOUT_MS);
    // Always the same id, so that the answers to all who missed the same are the same bytes.
    this.#handler.write(clientFrame(Opcode.text, Buffer.from(`421${JSON.stringify([action, params])}`)));
  }
}
