import type { Status } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { ServerCache } from "./cache.ts";
import { useActionQuery, useServerCache, type On } from "./data-context.ts";
import { useLive } from "./frames.ts";
import { type Effects, perCache } from "./lookup.ts";
import { useMe } from "./me.ts";

/** A user's presence, watched while it is shown; undefined if unknown or if too many users are watched. */
export function useStatus(userId: string | null | undefined): Status | undefined {
  const { presence } = useServerCache().client;
  useEffect(() => {
    if (!userId) return undefined;
    try {
      return presence.watch([userId]);
    } catch {
      // Over the server's limit: no presence is shown.
      return undefined;
    }
  }, [presence, userId]);
  return useLive(presence, () => (userId ? presence.status(userId) : undefined));
}

export type OwnStatus = Result<"presence.setStatus">["status"];

export function useOwnStatus(): UseQueryResult<OwnStatus> {
  const { id } = useMe();
  return useActionQuery("presence.watch", { userIds: [id] }, { select: ({ ownStatus }) => ownStatus });
}

export const presenceEffects: Effects = {
  "presence.setStatus": {
    before(cache, { status }) {
      const undo = patchOwnStatus(cache, status);
      return () => {
        undo();
        cache.refetch("presence.watch");
      };
    },
    after: (cache, _, { status }) => patchOwnStatus(cache, status),
  },
};

function patchOwnStatus(cache: ServerCache, ownStatus: OwnStatus): () => void {
  return cache.patch("presence.watch", (response) =>
    response.ownStatus === ownStatus ? response : { ...response, ownStatus },
  );
}

/**
 * The known presence of several users. `userIds` must be stable and short: they are all watched, and a client can watch at most 500.
 */
export function useStatuses(userIds: readonly string[]): ReadonlyMap<string, Status> {
  const { presence } = useServerCache().client;
  useEffect(() => {
    try {
      return presence.watch(userIds);
    } catch {
      return undefined;
    }
  }, [presence, userIds]);
  const statuses = useLive(presence, () => userIds.map((id) => presence.status(id) ?? "").join());
  return useMemo(() => {
    const known = statuses.split(",").map((status, index) => [userIds[index]!, status] as const);
    return new Map(known.filter((entry): entry is [string, Status] => entry[1] !== ""));
  }, [statuses, userIds]);
}

/** More than this are never shown by name. */
const MAX_TYPING_USERS = 20;
const NO_USER_IDS: readonly string[] = [];

/** Who does something in each channel, such as typing, until the indicator expires. */
export class ExpiringUsers {
  readonly #max: number;
  readonly #byChannel = new Map<string, readonly string[]>();
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #listeners = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** In the order in which they started. The same array until it changes. */
  in(channelId: string): readonly string[] {
    return this.#byChannel.get(channelId) ?? NO_USER_IDS;
  }

  start(channelId: string, userId: string, expiresInMs: number): void {
    const key = `${channelId} ${userId}`;
    const users = this.in(channelId);
    const isKnown = users.includes(userId);
    if (!isKnown && users.length >= this.#max) return;
    clearTimeout(this.#ends.get(key));
    this.#ends.set(
      key,
      setTimeout(() => this.end(channelId, userId), expiresInMs),
    );
    if (!isKnown) this.#set(channelId, [...users, userId]);
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

  #set(channelId: string, users: readonly string[]): void {
    if (users.length === 0) this.#byChannel.delete(channelId);
    else this.#byChannel.set(channelId, users);
    for (const listener of this.#listeners) listener();
  }
}

const typingUsersOf = perCache(() => new ExpiringUsers(MAX_TYPING_USERS));

/** The other users who are typing in a channel. */
export function useTypingUsers(channelId: string): readonly string[] {
  const typists = typingUsersOf(useServerCache());
  return useLive(typists, () => typists.in(channelId));
}

export function listenTyping(cache: ServerCache, on: On): void {
  const typists = typingUsersOf(cache);
  on("typing.started", ({ channelId, userId, expiresInMs }) => {
    if (userId !== cache.client.user?.id) typists.start(channelId, userId, expiresInMs);
  });
  on("message.created", ({ channelId, messages }) => {
    for (const { authorId } of messages) typists.end(channelId, authorId);
  });
}
