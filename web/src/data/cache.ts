import type { FanfareClient } from "@fanfare/client";
import { createStore, type Store } from "@fanfare/client/store";
import type { ActionName, Call, Params, Result } from "@fanfare/contract";
import {
  type InfiniteData,
  type Query,
  type QueryCacheNotifyEvent,
  type QueryClient,
  type QueryKey,
  hashKey,
  infiniteQueryOptions,
  queryOptions,
} from "@tanstack/react-query";
import { batchedCall, withList, without } from "./lookup.ts";
import { whenOnline } from "./data-context.ts";

export type Change<N extends ActionName> = (response: Result<N>, params: Params<N>) => Result<N>;

export type ItemOf<L> = L extends readonly (infer Item)[] ? Item : never;

type Cursor = string | number | null | undefined;

/** The field of a page with the next page's cursor, or what returns it: null on the last page. */
export type NextOf<N extends ActionName> = (keyof Result<N> & string) | ((page: Result<N>) => Cursor);

type AnyChange = (response: unknown, params: unknown) => unknown;

/** Refetches of users who received the same event are spread over up to this time. */
const CROWD_SPREAD_MS = 2000;
const REFETCH_DELAY_MS = 50;

interface PendingRefetch {
  timer: ReturnType<typeof setTimeout>;
  /** After it, another one follows after this time; null: none. */
  againMs: number | null;
}

/** Describes a paged list: the cursor param, the next cursor in a response, and the lists to concatenate. */
export interface Paging<N extends ActionName> {
  param: keyof Params<N> & string;
  next: keyof Result<N> & string;
  list: keyof Result<N> & string;
}

/**
 * Responses that aren't part of the session's state (`store`): paged lists, and data of single pages. They are refetched when an event
 * may have changed them.
 */
export class ServerCache {
  readonly client: FanfareClient;
  readonly store: Store;
  readonly queries: QueryClient;
  readonly #call: Call;
  /** Queries by action: thousands of events can invalidate them. */
  readonly #byName = new Map<string, Set<Query>>();
  readonly #pendingRefetches = new Map<string, PendingRefetch>();

  constructor(client: FanfareClient, queries: QueryClient) {
    this.client = client;
    this.store = createStore(client);
    this.queries = queries;
    this.#call = batchedCall(client);
    queries.getQueryCache().subscribe((event) => this.#onCacheEvent(event));
  }

  /** Query options for a single response. */
  query<N extends ActionName>(name: N, params: Params<N>) {
    return queryOptions({
      queryKey: [name, params] as QueryKey,
      queryFn: async ({ signal }): Promise<Result<N>> => {
        await whenOnline(this.client, signal);
        return this.#call(name, params);
      },
    });
  }

  /** Query options that load all pages into one response. Only for lists with a size limit. */
  allPagesQuery<N extends ActionName>(name: N, params: Params<N>, { param, next, list }: Paging<N>) {
    return queryOptions({
      queryKey: [name, params] as QueryKey,
      queryFn: async ({ signal }): Promise<Result<N>> => {
        await whenOnline(this.client, signal);
        const items: unknown[] = [];
        for (let cursor: unknown = null; ;) {
          const page = await this.client.call(
            name,
            cursor === null ? params : { ...params, [param]: cursor },
          );
          items.push(...(page[list] as unknown[]));
          cursor = page[next];
          if (cursor === null) return { ...page, [list]: items };
          signal.throwIfAborted();
        }
      },
    });
  }

  /** Query options for a paged list. `param` takes the cursor. */
  pagedQuery<N extends ActionName>(
    name: N,
    params: Params<N>,
    param: keyof Params<N> & string,
    next: NextOf<N>,
  ) {
    return infiniteQueryOptions({
      queryKey: [name, params, param] as QueryKey,
      initialPageParam: undefined as string | number | undefined,
      queryFn: async ({ pageParam, signal }): Promise<Result<N>> => {
        await whenOnline(this.client, signal);
        return this.client.call(name, pageParams(params, param, pageParam) as Params<N>);
      },
      getNextPageParam: (last: Result<N>) =>
        (typeof next === "function" ? next(last) : (last[next] as Cursor)) ?? undefined,
    });
  }

  /**
   * Updates all cached responses of an action. `change` returns unaffected responses as they are.
   * @param where params that must match
   * @returns a function that puts back the responses that nothing else has changed since
   */
  patch<N extends ActionName>(name: N, change: Change<N>, where: Partial<Params<N>> = {}): () => void {
    const undos = this.#find(name, where).map((query) => this.#apply(query, change as AnyChange));
    return () => {
      for (const undo of undos) undo();
    };
  }

  /** Like `patch`, for a list within the response. */
  patchList<N extends ActionName, K extends keyof Result<N>>(
    name: N,
    list: K,
    change: (items: Result<N>[K]) => Result<N>[K],
    where: Partial<Params<N>> = {},
  ): void {
    this.patch(name, (response) => withList(response, list, change(response[list])), where);
  }

  /** Removes items from a list. */
  remove<N extends ActionName, K extends keyof Result<N>>(
    name: N,
    list: K,
    isGone: (item: ItemOf<Result<N>[K]>) => boolean,
    where: Partial<Params<N>> = {},
  ): void {
    this.patchList(name, list, (items) => without(items as never[], isGone) as typeof items, where);
  }

  /** Sets a cached response. */
  put<N extends ActionName>(name: N, params: Params<N>, response: Result<N>): void {
    this.queries.setQueryData([name, params], response);
  }

  /** Refetches visible responses at once and the others when they are next shown. */
  refetch<N extends ActionName>(name: N, where: Partial<Params<N>> = {}): void {
    for (const { queryKey } of this.#find(name, where)) {
      void this.queries.invalidateQueries({ queryKey, exact: true });
    }
  }

  /**
   * Debounced refetch.
   * @param crowd number of users who receive the same event
   * @param afterMs longer for events that occur many times per second
   */
  refetchSoon<N extends ActionName>(
    name: N,
    where: Partial<Params<N>> = {},
    crowd = 1,
    afterMs = REFETCH_DELAY_MS,
  ): void {
    const key = hashKey([name, where]);
    if (this.#find(name, where).length === 0) return;
    const pending = this.#pendingRefetches.get(key);
    if (pending !== undefined) {
      // The server may need the whole time to take this event into account.
      if (afterMs > REFETCH_DELAY_MS) pending.againMs = afterMs;
      return;
    }
    const spreadMs = Math.min(CROWD_SPREAD_MS, crowd / 10);
    const timer = setTimeout(
      () => {
        this.#pendingRefetches.delete(key);
        this.refetch(name, where);
        if (started.againMs !== null) this.refetchSoon(name, where, crowd, started.againMs);
      },
      afterMs + Math.random() * spreadMs,
    );
    const started: PendingRefetch = { timer, againMs: null };
    this.#pendingRefetches.set(key, started);
  }

  /** Cancels pending refetches. */
  stopTimers(): void {
    for (const { timer } of this.#pendingRefetches.values()) clearTimeout(timer);
    this.#pendingRefetches.clear();
  }

  #find<N extends ActionName>(name: N, where: Partial<Params<N>>): Query[] {
    const conditions = Object.entries(where);
    const matches = ({ queryKey }: Query): boolean => {
      const params = queryKey[1] as Record<string, unknown>;
      return conditions.every(([key, value]) => params[key] === value);
    };
    return [...(this.#byName.get(name) ?? [])].filter(matches);
  }

  #apply(query: Query, change: AnyChange): () => void {
    const { data, isInvalidated } = query.state;
    if (data === undefined) return () => {};
    const [, params, param] = query.queryKey as [string, object, string?];
    const changed =
      param === undefined
        ? change(data, params)
        : changePages(data as InfiniteData<unknown>, params, param, change);
    if (changed === data) return () => {};
    const put = (response: unknown): void => {
      query.setData(response, { manual: true });
      // `setData` marks the query as fresh, but it may lack other changes.
      if (isInvalidated) query.invalidate();
    };
    put(changed);
    const after = query.state.data;
    return () => {
      if (query.state.data === after) put(data);
    };
  }

  #add(query: Query): void {
    const name = query.queryKey[0] as string;
    const queries = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, queries.add(query));
  }

  #onCacheEvent(event: QueryCacheNotifyEvent): void {
    if (event.type === "added") this.#add(event.query);
    if (event.type === "removed") this.#byName.get(event.query.queryKey[0] as string)?.delete(event.query);
  }
}

function pageParams(params: object, param: string, cursor: unknown): object {
  return cursor === undefined ? params : { ...params, [param]: cursor };
}

function changePages(
  data: InfiniteData<unknown>,
  params: object,
  param: string,
  change: AnyChange,
): InfiniteData<unknown> {
  const pages = data.pages.map((page, index) =>
    change(page, pageParams(params, param, data.pageParams[index])),
  );
  return pages.every((page, index) => page === data.pages[index]) ? data : { ...data, pages };
}
