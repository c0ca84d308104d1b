import type { FanfareError } from "@fanfare/client";
import type { ClientState, LoadName } from "@fanfare/client/store";
import type { Params } from "@fanfare/contract";
import { useCallback, useEffect, useRef, useState } from "react";
import { useConnectionState, useServerCache } from "./data-context.ts";
import { useLive } from "./frames.ts";

export interface Loaded<T> {
  /** Undefined while loading and after a failure. */
  data: T | undefined;
  error: FanfareError | null;
  isPending: boolean;
  refetch: () => Promise<void>;
}

/** `select` must return the same value until its input changes. */
export function useStoreState<T>(select: (state: ClientState) => T): T {
  const { store } = useServerCache();
  return useLive(store, () => select(store.state));
}

/**
 * A part of the session's state, loaded and kept current while it is in use.
 * @param select called only once the part is loaded
 */
export function useLoaded<N extends LoadName, T>(
  name: N,
  params: Params<N>,
  select: (state: ClientState) => T | undefined,
  { enabled = true }: { enabled?: boolean } = {},
): Loaded<T> {
  const { store } = useServerCache();
  const key = JSON.stringify(params);
  // `params` is a new object on each render; `key` identifies it.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => (enabled ? store.retain(name, params) : undefined), [store, name, key, enabled]);
  const data = useLive(store, () => (store.isLoaded(name, params) ? select(store.state) : undefined));
  const failure = useLive(store, () => store.errorOf(name, params));
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const refetch = useCallback(() => store.reload(name, params), [store, name, key]);
  const error = data === undefined ? failure : null;
  return { data, error, isPending: data === undefined && error === null, refetch };
}

interface ReadUpTo {
  /** 0: the user has read nothing in this channel. */
  lastReadSeq: number;
  /** Whether it may be from an earlier visit. */
  isOutdated: boolean;
}

/** Both values are of the same moment, unlike one of a prop, which a parent read in an earlier frame. */
export function useReadUpTo(channelId: string): ReadUpTo {
  const { store } = useServerCache();
  const lastReadSeq = useLive(store, () => store.state.lastReadSeqs[channelId] ?? 0);
  const isOnline = useConnectionState() === "online";
  const isOutdated = useLive(store, () => store.isOutdated) || !isOnline;
  return { lastReadSeq, isOutdated };
}

/**
 * A paged list with the current version of its items.
 * @param latest the items from the session's state; unchanged items keep their identity
 */
export function useLatest<T, L extends { data: T[] | undefined }>(
  list: L,
  latest: (state: ClientState, listed: readonly T[]) => T[],
): L {
  const { store } = useServerCache();
  const last = useRef<T[]>([]);
  const data = useLive(store, () => {
    if (list.data === undefined) return undefined;
    const items = latest(store.state, list.data);
    const { current } = last;
    const isSame = items.length === current.length && items.every((item, index) => item === current[index]);
    if (!isSame) last.current = items;
    return last.current;
  });
  return { ...list, data };
}

interface ServerNotices {
  /** The last announcement; null if there is none or it was dismissed. */
  announcement: ClientState["announcement"];
  /** The maintenance message; null while maintenance mode is off. */
  pausedBecause: string | null;
  dismiss: () => void;
}

export function useServerNotices(): ServerNotices {
  const announcement = useStoreState((state) => state.announcement);
  const pausedBecause = useStoreState((state) => state.maintenance);
  const [dismissed, setDismissed] = useState<ClientState["announcement"]>(null);
  return {
    announcement: announcement === dismissed ? null : announcement,
    pausedBecause,
    dismiss: () => setDismissed(announcement),
  };
}
