import { useSyncExternalStore } from "react";
import { useServerCache } from "./data-context.ts";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { perCache } from "./per-cache.ts";

/** Of those who type in one channel; what says more than "several people" is of no use. */
const MAX_TYPISTS = 20;
const NOBODY: readonly string[] = [];

/** Who is writing, channel by channel, until their time is over. */
export class Typists {
  readonly #byChannel = new Map<string, readonly string[]>();
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #listeners = new Set<() => void>();

  /** In the order in which they began. The same array until it changes. */
  in(channelId: string): readonly string[] {
    return this.#byChannel.get(channelId) ?? NOBODY;
  }

  start(channelId: string, userId: string, expiresInMs: number): void {
    const key = `${channelId} ${userId}`;
    const typists = this.in(channelId);
    const isKnown = typists.includes(userId);
    if (!isKnown && typists.length >= MAX_TYPISTS) return;
    clearTimeout(this.#ends.get(key));
    this.#ends.set(
      key,
      setTimeout(() => this.end(channelId, userId), expiresInMs),
    );
    if (!isKnown) this.#set(channelId, [...typists, userId]);
  }

  end(channelId: string, userId: string): void {
    const key = `${channelId} ${userId}`;
    clearTimeout(this.#ends.get(key));
    if (!this.#ends.delete(key)) return;
    this.#set(
      channelId,
      this.in(channelId).filter((id) => id !== userId),
    );
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #set(channelId: string, typists: readonly string[]): void {
    if (typists.length === 0) this.#byChannel.delete(channelId);
    else this.#byChannel.set(channelId, typists);
    for (const listener of this.#listeners) listener();
  }
}

const typistsOf = perCache(() => new Typists());

/** The ids of the others who are writing in a channel. */
export function useTypists(channelId: string): readonly string[] {
  const typists = typistsOf(useServerCache());
  return useSyncExternalStore(typists.subscribe, () => typists.in(channelId));
}

export function listenTyping(cache: ServerCache, on: On): void {
  const typists = typistsOf(cache);
  on("typing.started", ({ channelId, userId, expiresInMs }) => {
    if (userId !== cache.client.user?.id) typists.start(channelId, userId, expiresInMs);
  });
  on("message.created", ({ channelId, messages }) => {
    for (const { authorId } of messages) typists.end(channelId, authorId);
  });
}
