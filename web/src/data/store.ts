import type { FanfareError } from "@fanfare/client";
import type { ClientState, LoadName } from "@fanfare/client/store";
import type { Params } from "@fanfare/contract";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useServerCache } from "./data-context.ts";

export interface Loaded<T> {
  /** Undefined while it is being loaded, and where it could not be. */
  data: T | undefined;
  error: FanfareError | null;
  isPending: boolean;
  refetch: () => Promise<void>;
}

/** Reads the session's state. `select` returns the same value until what it reads has changed. */
export function useStoreState<T>(select: (state: ClientState) => T): T {
  const { store } = useServerCache();
  return useSyncExternalStore(store.subscribe, () => select(store.state));
}

/**
 * A part of the session's state, loaded and kept up as long as it is shown.
 * @param select reads it; called only when it is loaded
 */
export function useLoaded<N extends LoadName, T>(
  name: N,
  params: Params<N>,
  select: (state: ClientState) => T | undefined,
  { enabled = true }: { enabled?: boolean } = {},
): Loaded<T> {
  const { store } = useServerCache();
  const key = JSON.stringify(params);
  // The same params come as another object each time.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => (enabled ? store.keep(name, params) : undefined), [store, name, key, enabled]);
  const data = useSyncExternalStore(store.subscribe, () =>
    store.isLoaded(name, params) ? select(store.state) : undefined,
  );
  const failure = useSyncExternalStore(store.subscribe, () => store.errorOf(name, params));
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const refetch = useCallback(() => store.reload(name, params), [store, name, key]);
  const error = data === undefined ? failure : null;
  return { data, error, isPending: data === undefined && error === null, refetch };
}

/**
 * A list that was asked for by pages, with its items as they are now.
 * @param latest the items as the state has them; an item that has not changed stays the same object
 */
export function useLatest<T, L extends { data: T[] | undefined }>(
  list: L,
  latest: (state: ClientState, listed: readonly T[]) => T[],
): L {
  const { store } = useServerCache();
  const last = useRef<T[]>([]);
  const data = useSyncExternalStore(store.subscribe, () => {
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
  /** The last announcement of the admins; null before the first one, and when it was dismissed. */
  announcement: ClientState["announcement"];
  /** The message of maintenance mode; null while it is off. */
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
