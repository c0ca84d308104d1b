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

/** The key of an answer: [name of the action, its params] or, by pages, also the param of the page. */
export type Change<N extends ActionName> = (answer: Result<N>, params: Params<N>) => Result<N>;

export type ItemOf<L> = L extends readonly (infer Item)[] ? Item : never;

type AnyChange = (answer: unknown, params: unknown) => unknown;

/** Users who received an event together ask again spread over at most this time. */
const CROWD_SPREAD_MS = 2000;
const SOON_MS = 50;

/** A list that comes by pages, as a whole: which param asks for the next page, what answers it, and the lists to join. */
export interface Paging<N extends ActionName> {
  param: keyof Params<N> & string;
  next: keyof Result<N> & string;
  list: keyof Result<N> & string;
}

/**
 * The answers that are not part of the session's state (`store`): lists that are read by pages, and what a page asks for when it is opened.
 * They are asked for again where an event leaves doubt.
 */
export class ServerCache {
  readonly client: FanfareClient;
  /** The session's state. */
  readonly store: Store;
  readonly queries: QueryClient;
  readonly #call: Call;
  /** The queries of an action: doubts come by the thousand. */
  readonly #byName = new Map<string, Set<Query>>();
  readonly #soon = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(client: FanfareClient, queries: QueryClient) {
    this.client = client;
    this.store = createStore(client);
    this.queries = queries;
    this.#call = batchedCall(client);
    queries.getQueryCache().subscribe((event) => this.#follow(event));
  }

  /** How to ask for one answer. */
  ask<N extends ActionName>(name: N, params: Params<N>) {
    return queryOptions({
      queryKey: [name, params] as QueryKey,
      queryFn: async ({ signal }): Promise<Result<N>> => {
        await whenOnline(this.client, signal);
        return this.#call(name, params);
      },
    });
  }

  /** How to ask for all pages as one answer. Only for lists that a limit bounds. */
  askWhole<N extends ActionName>(name: N, params: Params<N>, { param, next, list }: Paging<N>) {
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

  /** How to ask page by page. `nextOf` answers the cursor of the page after this one, null for the last. */
  askPages<N extends ActionName>(
    name: N,
    params: Params<N>,
    param: keyof Params<N> & string,
    nextOf: (page: Result<N>) => string | number | null | undefined,
  ) {
    return infiniteQueryOptions({
      queryKey: [name, params, param] as QueryKey,
      initialPageParam: undefined as string | number | undefined,
      queryFn: async ({ pageParam, signal }): Promise<Result<N>> => {
        await whenOnline(this.client, signal);
        return this.client.call(name, pageParams(params, param, pageParam) as Params<N>);
      },
      getNextPageParam: (last: Result<N>) => nextOf(last) ?? undefined,
    });
  }

  /**
   * Changes every answer to an action that is held; what the change does not concern it returns as it is.
   * @param where params that have to be these
   */
  patch<N extends ActionName>(name: N, change: Change<N>, where: Partial<Params<N>> = {}): void {
    for (const query of this.#find(name, where)) this.#apply(query, change as AnyChange);
  }

  /** As `patch`, for what changes a list in the answer only. */
  patchList<N extends ActionName, K extends keyof Result<N>>(
    name: N,
    list: K,
    change: (items: Result<N>[K]) => Result<N>[K],
    where: Partial<Params<N>> = {},
  ): void {
    this.patch(name, (answer) => withList(answer, list, change(answer[list])), where);
  }

  /** Takes an item out of a list. */
  remove<N extends ActionName, K extends keyof Result<N>>(
    name: N,
    list: K,
    isGone: (item: ItemOf<Result<N>[K]>) => boolean,
    where: Partial<Params<N>> = {},
  ): void {
    this.patchList(name, list, (items) => without(items as never[], isGone) as typeof items, where);
  }

  /** Puts an answer where it would stand if it had been asked for. */
  put<N extends ActionName>(name: N, params: Params<N>, answer: Result<N>): void {
    this.queries.setQueryData([name, params], answer);
  }

  /** Asks again: at once for what is shown, and for the rest when it is shown. */
  refetch<N extends ActionName>(name: N, where: Partial<Params<N>> = {}): void {
    for (const { queryKey } of this.#find(name, where)) {
      void this.queries.invalidateQueries({ queryKey, exact: true });
    }
  }

  /**
   * Asks again a moment later, once for all that happens until then.
   * @param crowd how many users hear of the reason in the same moment
   * @param afterMs for what may happen many times in a second, longer
   */
  refetchSoon<N extends ActionName>(
    name: N,
    where: Partial<Params<N>> = {},
    crowd = 1,
    afterMs = SOON_MS,
  ): void {
    const key = hashKey([name, where]);
    if (this.#soon.has(key) || this.#find(name, where).length === 0) return;
    const spreadMs = Math.min(CROWD_SPREAD_MS, crowd / 10);
    const timer = setTimeout(
      () => {
        this.#soon.delete(key);
        this.refetch(name, where);
      },
      afterMs + Math.random() * spreadMs,
    );
    this.#soon.set(key, timer);
  }

  /** What was to be asked again a moment later is not asked any more. */
  stopTimers(): void {
    for (const timer of this.#soon.values()) clearTimeout(timer);
    this.#soon.clear();
  }

  #find<N extends ActionName>(name: N, where: Partial<Params<N>>): Query[] {
    const wanted = Object.entries(where);
    const isMeant = ({ queryKey }: Query): boolean => {
      const params = queryKey[1] as Record<string, unknown>;
      return wanted.every(([key, value]) => params[key] === value);
    };
    return [...(this.#byName.get(name) ?? [])].filter(isMeant);
  }

  #apply(query: Query, change: AnyChange): void {
    const { data, isInvalidated } = query.state;
    if (data === undefined) return;
    const [, params, param] = query.queryKey as [string, object, string?];
    const changed =
      param === undefined
        ? change(data, params)
        : changePages(data as InfiniteData<unknown>, params, param, change);
    if (changed === data) return;
    query.setData(changed, { manual: true });
    // To be set would make it look fresh, though it may lack more than this.
    if (isInvalidated) query.invalidate();
  }

  #add(query: Query): void {
    const name = query.queryKey[0] as string;
    const queries = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, queries.add(query));
  }

  #follow(event: QueryCacheNotifyEvent): void {
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
