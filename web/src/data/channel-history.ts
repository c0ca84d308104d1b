import { type FanfareClient, FanfareError, retrying } from "@fanfare/client";
import type { Message, Params } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  type HistoryWindow,
  windowAround,
  withChanged,
  withNewer,
  withOlder,
  withReactionsChanged,
} from "./history-window.ts";

export type HistoryPlace = { messageId: string } | { seq: number } | { atTime: string };

const PAGE_SIZE = 50;
/** Changes received while a page loads; beyond this number the window is reloaded. */
const MAX_BUFFERED = 500;
const RETRIES = { backoff: { baseMs: 500, maxMs: 3000 }, tries: 5 };
/** All clients receive a resync at the same moment: each waits up to this time before it loads. */
export const RESYNC_SPREAD_MS = 2000;

/**
 * A window into a channel's history, separate from its live copy. `open` loads the messages around a place, and events keep them current.
 * There is one window at a time; results of earlier requests are dropped after `open` or `close`.
 */
export class ChannelHistory {
  readonly #client: FanfareClient;
  readonly #channelId: string;
  readonly #listeners = new Set<() => void>();
  #window: HistoryWindow | null = null;
  #generation = 0;
  /** The ID of the `open` in progress. */
  #opening: number | null = null;
  #extending: Promise<void> | null = null;
  #loads = 0;
  /** Newest versions of messages that changed while a page was loading. */
  readonly #buffered = new Map<string, Message>();
  #ends: (() => void)[] = [];

  constructor(client: FanfareClient, channelId: string) {
    this.#client = client;
    this.#channelId = channelId;
  }

  /** null if no window is open. A new object after every change. */
  readonly get = (): HistoryWindow | null => this.#window;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Loads the messages around a place. Resolves to the seq of the requested message or the nearest one; null if there is none, or if the
   * window was closed or opened elsewhere in the meantime.
   * @throws {FanfareError} MESSAGE_NOT_FOUND, or the server's error
   */
  open(place: HistoryPlace): Promise<number | null> {
    const number = ++this.#generation;
    this.#opening = number;
    this.#listen();
    const opened = this.#load(async () => {
      const where = "messageId" in place ? { seq: await this.#seqOf(place.messageId) } : place;
      const page = await this.#list("seq" in where ? { around: where.seq } : { atTime: where.atTime });
      if (number !== this.#generation) return null;
      this.#set(windowAround(page));
      return targetIn(page.messages, where);
    });
    return opened
      .catch((error: unknown) => {
        if (number === this.#generation && this.#window === null) this.close();
        throw error;
      })
      .finally(() => {
        if (this.#opening === number) this.#opening = null;
      });
  }

  /** Does nothing if there are no older messages or another page is loading. */
  loadOlder(): Promise<void> {
    const before = this.#window?.messages[0]?.seq;
    if (before === undefined || !this.#window?.hasOlder) return Promise.resolve();
    return this.#extend({ before }, withOlder);
  }

  loadNewer(): Promise<void> {
    const after = this.#window?.messages.at(-1)?.seq;
    return after === undefined ? Promise.resolve() : this.#extend({ after }, withNewer);
  }

  /** Releases older messages after the user has scrolled to the newest; an `open` in progress continues. */
  releaseOlder(): void {
    if (this.#opening === null && this.#window !== null) this.close();
  }

  /** Closes the window and cancels an `open` in progress. */
  close(): void {
    this.#generation += 1;
    this.#opening = null;
    for (const end of this.#ends) end();
    this.#ends = [];
    this.#buffered.clear();
    if (this.#window !== null) this.#set(null);
  }

  #extend(where: Partial<Params<"message.list">>, extended: typeof withOlder): Promise<void> {
    const number = this.#generation;
    this.#extending ??= this.#load(async () => {
      try {
        const page = await this.#list(where);
        if (number === this.#generation && this.#window !== null) {
          this.#set(extended(this.#window, page));
        }
      } finally {
        this.#extending = null;
      }
    });
    return this.#extending;
  }

  /** Records changes while a page loads, because its response may not include them. */
  async #load<T>(work: () => Promise<T>): Promise<T> {
    this.#loads += 1;
    try {
      return await work();
    } finally {
      this.#loads -= 1;
      if (this.#loads === 0) {
        const isTooMuch = this.#buffered.size >= MAX_BUFFERED;
        this.#buffered.clear();
        if (isTooMuch) void this.#reload();
      }
    }
  }

  #list(where: Partial<Params<"message.list">>) {
    return this.#client.call("message.list", { channelId: this.#channelId, limit: PAGE_SIZE, ...where });
  }

  async #seqOf(messageId: string): Promise<number> {
    const { message } = await this.#client.call("message.get", { channelId: this.#channelId, messageId });
    return seqOf(message);
  }

  #listen(): void {
    if (this.#ends.length > 0) return;
    const client = this.#client;
    const hear = (message: Message): void => {
      if (message.channelId === this.#channelId) this.#onChange(message);
    };
    this.#ends = [
      client.on("message.changed", ({ message }) => hear(message)),
      client.on("message.deleted", ({ message }) => hear(message)),
      client.on("reaction.changed", (change) => {
        if (change.channelId !== this.#channelId) return;
        const next = this.#window && withReactionsChanged(this.#window, change);
        if (next !== null) this.#set(next);
        if (next === null || this.#loads > 0) this.#request(change.messageId);
      }),
      client.on("ready", () => void this.#reload()),
      client.on("resync", () => void this.#reload(Math.random() * RESYNC_SPREAD_MS)),
    ];
  }

  #onChange(message: Message): void {
    const isNewer = (this.#buffered.get(message.id)?.rev ?? 0) < message.rev;
    if (isNewer && this.#buffered.size < MAX_BUFFERED) this.#buffered.set(message.id, message);
    if (this.#window !== null) this.#set(this.#window);
    if (this.#loads === 0) this.#buffered.clear();
  }

  #request(messageId: string): void {
    this.#client.call("message.get", { channelId: this.#channelId, messageId }).then(
      ({ message }) => this.#onChange(message),
      // The message is gone, or the next connection reloads everything.
      () => undefined,
    );
  }

  /** Reloads the window's messages after changes may have been missed. */
  async #reload(afterMs = 0): Promise<void> {
    const number = this.#generation;
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const existing = this.#window?.messages ?? [];
    const last = existing.at(-1)?.seq ?? 0;
    for (let after = (existing[0]?.seq ?? 1) - 1; after < last && number === this.#generation;) {
      try {
        const list = () => this.#list({ after, limit: LIMITS.pageMaxItems });
        const { messages } = await retrying(list, RETRIES);
        after = messages.at(-1)?.seq ?? last;
        const window = this.#window;
        if (number !== this.#generation || window === null) return;
        this.#set(withChanged(window, new Map(messages.map((message) => [message.id, message]))));
      } catch {
        // The next connection tries again.
        return;
      }
    }
  }

  #set(window: HistoryWindow | null): void {
    const next = window === null ? null : withChanged(window, this.#buffered);
    if (next === this.#window) return;
    this.#window = next;
    for (const listener of this.#listeners) listener();
  }
}

/** @throws {FanfareError} MESSAGE_NOT_FOUND for a deleted message, which isn't shown */
export function seqOf({ seq, deletedAt }: Message): number {
  if (deletedAt === null) return seq;
  const message = "This message was deleted.";
  throw new FanfareError({ type: "MESSAGE_NOT_FOUND", message, retryable: false, requestId: "" });
}

/** The seq of the requested message, the next one after it, or the last one. */
function targetIn(messages: readonly Message[], place: HistoryPlace): number | null {
  const isMeant = (message: Message): boolean =>
    "seq" in place ? message.seq >= place.seq : "atTime" in place && message.createdAt >= place.atTime;
  return (messages.find(isMeant) ?? messages.at(-1))?.seq ?? null;
}
