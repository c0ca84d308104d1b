import type { ActionName, Call, EventName, EventPayload, Params, Result } from "@fanfare/contract";
import type { Backoff } from "@fanfare/contract/backoff";
import type { CallWrapper, FanfareClient } from "../client.ts";
import { callSafely } from "../emitter.ts";
import { FanfareError } from "../errors.ts";
import { USERS_PER_LOOKUP } from "../limits.ts";
import { retrying } from "../timing.ts";
import { applyResult, isAppliedToState, requestingUsers } from "./results.ts";
import { type Invalidation, invalidationsOf, unreadInvalidations } from "./invalidations.ts";
import { EVENT_NAMES } from "@fanfare/contract/manifest";
import { LOADS, type LoadName, PAGES } from "./loads.ts";
import { reduce, type StateEvent } from "./reduce.ts";
import { type ClientState, EMPTY_STATE } from "./state.ts";

export interface StoreOptions {
  /** The user of the session, if known before the first `ready`. */
  userId?: string | null;
  call: Call;
  isOnline(): boolean;
  backoff: Backoff;
  /** The longest random delay of reloads after an event that many users received, in milliseconds. */
  spreadMs: number;
}

/** A part of the state that is loaded by one call, or by the calls for all pages of a list. */
interface Query {
  name: LoadName;
  params: Params<LoadName>;
  /** The number of `retain` calls. */
  retainCount: number;
  /** Events can have changed the result in a way that they did not include. */
  isStale: boolean;
  error: FanfareError | null;
  loading: Promise<void> | null;
  /** The event that made it load: applied to the result before later ones. */
  firstEvent: StateEvent | null;
  timer: ReturnType<typeof setTimeout> | null;
}

/** All members of a deleted group reload at the same time. */
const REMOVED_GROUP_CROWD = 5000;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 3_000 };
/** Random delay after an event that many clients received at once. */
const CROWD_SPREAD_MS = 2_000;
const LOAD_TRIES = 5;
const REFETCH_DELAY_MS = 50;
const MAX_SAVED_USERS = 500;
/** If more events than this arrive during a call, it is repeated instead of applying them all. */
const MAX_BUFFERED_EVENTS = 500;

/**
 * The state of one session, kept current by events, by the results of this client's own calls, and by reloading what
 * an event does not fully include.
 */
export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  readonly #invalidationListeners = new Set<(invalidation: Invalidation) => void>();
  readonly #queries = new Map<string, Query>();
  /** Users whose request is pending, or who don't exist. */
  readonly #requestedUsers = new Set<string>();
  readonly #failedUsers = new Set<string>();
  #queuedUsers = new Set<string>();
  /** The last events, while calls are pending. */
  #bufferedEvents: StateEvent[] = [];
  /** How many were dropped before those. */
  #droppedEvents = 0;
  #callsInFlight = 0;
  #isClosed = false;
  /** Then the parts of the state that were never loaded are outdated. */
  #isRestored = false;
  #invalidateTimer: ReturnType<typeof setTimeout> | null = null;
  #state: ClientState;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#state = { ...EMPTY_STATE, userId: options.userId ?? null };
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Calls `listener` after every change of `state`. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls `listener` with the invalidations after an event, for results that are held outside of the state. Returns a function that unsubscribes. */
  onInvalidation(listener: (invalidation: Invalidation) => void): () => void {
    this.#invalidationListeners.add(listener);
    return () => void this.#invalidationListeners.delete(listener);
  }

  /**
   * Loads a part of the state unless it is loaded.
   * @throws {FanfareError} the server's error, or the last one after several tries
   */
  load<N extends LoadName>(name: N, params: Params<N>): Promise<void> {
    return this.#loadOnce(this.#query(name, params));
  }

  /** Loads a part of the state, and reloads it when it can be outdated. Returns a function that stops this. */
  retain<N extends LoadName>(name: N, params: Params<N>): () => void {
    const query = this.#query(name, params);
    query.retainCount += 1;
    void this.#loadRetained(query);
    return () => {
      query.retainCount -= 1;
    };
  }

  /** Loads a user's profile into the state unless it is known. Requests of the same moment are batched. */
  requestUser(userId: string): void {
    if (this.#state.users[userId] === undefined && !this.#requestedUsers.has(userId))
      this.#queueUsers([userId]);
  }

  isLoaded<N extends LoadName>(name: N, params: Params<N>): boolean {
    return isLoadedIn(this.#state, { name, params });
  }

  /** Whether parts of a restored state that are in use are still to be reloaded. */
  get isOutdated(): boolean {
    if (!this.#isRestored) return false;
    for (const { retainCount, isStale, loading, error } of this.#queries.values())
      if (retainCount > 0 && error === null && (isStale || loading !== null)) return true;
    return false;
  }

  /** The error of a part of the state that failed to load; null if it is loaded or loading. */
  errorOf<N extends LoadName>(name: N, params: Params<N>): FanfareError | null {
    return this.#queries.get(keyOf(name, params))?.error ?? null;
  }

  /** Reloads a part of the state. Never rejects: see `errorOf`. */
  async reload<N extends LoadName>(name: N, params: Params<N>): Promise<void> {
    const query = this.#query(name, params);
    query.isStale = true;
    await this.#loadRetained(query);
  }

  /**
   * Applies the expected outcome of a call. Returns a function for when the call fails: it puts back the parts of the
   * state that nothing else has changed since, and reloads `parts` for the others.
   */
  applyOptimistically(
    event: StateEvent,
    ...parts: readonly (readonly [LoadName, Params<LoadName>])[]
  ): () => void {
    const before = this.#state;
    const after = reduce(before, event);
    this.#set(after);
    return () => {
      const names = Object.keys(before) as (keyof ClientState)[];
      const own = names.filter((name) => before[name] !== after[name] && this.#state[name] === after[name]);
      this.#set({ ...this.#state, ...Object.fromEntries(own.map((name) => [name, before[name]])) });
      for (const [name, params] of parts) void this.reload(name, params);
    };
  }

  /** The state to be stored, without what is only shown on some pages. */
  save(): ClientState {
    const { users } = this.#state;
    return {
      ...this.#state,
      users: Object.fromEntries(Object.entries(users).slice(-MAX_SAVED_USERS)),
      members: {},
      messages: {},
      pins: {},
      announcement: null,
      maintenance: null,
    };
  }

  /** Shows a stored state of the same user until its parts are reloaded. Does nothing if anything was loaded before. */
  restore(saved: ClientState): void {
    if (saved.userId !== this.#state.userId || this.#state.groups !== null) return;
    this.#isRestored = true;
    for (const query of this.#queries.values()) query.isStale = true;
    this.#set({ ...EMPTY_STATE, ...saved });
    // Otherwise the next connection reloads it.
    if (this.#options.isOnline()) this.invalidateAll();
  }

  /** @internal An event of the server. */
  receive<N extends EventName>(name: N, payload: EventPayload<N>): void {
    const event = { name, payload } as StateEvent;
    if (this.#callsInFlight > 0 && this.#bufferedEvents.push(event) > MAX_BUFFERED_EVENTS) {
      this.#bufferedEvents.shift();
      this.#droppedEvents += 1;
    }
    this.#apply(event);
  }

  /** @internal Makes a call, and stores its result in the state if it belongs there. */
  readonly wrapCall: CallWrapper = (name, params, call) => {
    const ask = () => call(requestingUsers(name, params));
    // One page of a list is not enough to update the whole list.
    if (name in PAGES || !isAppliedToState(name)) return ask();
    return this.#callAndApply(name, params, ask);
  };

  /** @internal Events may have been lost. */
  invalidateAll(): void {
    for (const query of this.#queries.values()) {
      query.isStale = true;
      if (query.retainCount > 0) void this.#loadRetained(query);
    }
    this.#requestedUsers.clear();
    this.#queueUsers([...Object.keys(this.#state.users), ...this.#failedUsers]);
  }

  /** @internal The same after a random delay: all other clients received the same event. */
  invalidateAllLater(): void {
    this.#invalidateTimer ??= setTimeout(() => {
      this.#invalidateTimer = null;
      this.invalidateAll();
    }, Math.random() * this.#options.spreadMs);
  }

  /** @internal */
  close(): void {
    this.#isClosed = true;
    if (this.#invalidateTimer !== null) clearTimeout(this.#invalidateTimer);
    for (const { timer } of this.#queries.values()) if (timer !== null) clearTimeout(timer);
  }

  #query(name: LoadName, params: Params<LoadName>): Query {
    const key = keyOf(name, params);
    const existing = this.#queries.get(key);
    if (existing !== undefined) return existing;
    const isStale = this.#isRestored;
    const empty = { error: null, loading: null, firstEvent: null, timer: null };
    const created: Query = { name, params, retainCount: 0, isStale, ...empty };
    this.#queries.set(key, created);
    return created;
  }

  #loadOnce(query: Query): Promise<void> {
    if (query.loading === null && !query.isStale && this.isLoaded(query.name, query.params)) {
      return Promise.resolve();
    }
    query.loading ??= this.#loadNow(query).finally(() => {
      query.loading = null;
      if (this.#isRestored) this.#notify();
    });
    return query.loading;
  }

  async #loadRetained(query: Query): Promise<void> {
    // Everything is reloaded on the next connection.
    if (!this.#options.isOnline()) return;
    const { error } = query;
    query.error = null;
    try {
      // A pending call can have been answered before the change.
      if (query.isStale) await query.loading?.catch(() => undefined);
      await this.#loadOnce(query);
      if (error !== null) this.#notify();
    } catch (failure) {
      if (!(failure instanceof FanfareError)) throw failure;
      query.error = failure;
      this.#notify();
    }
  }

  async #loadNow(query: Query): Promise<void> {
    const { name, params } = query;
    try {
      await retrying(() => {
        query.isStale = false;
        const { firstEvent } = query;
        const earlier = firstEvent === null ? [] : [firstEvent];
        return this.#callAndApply(name, params, () => this.#fetchAllPages(name, params), earlier);
      }, this.#retries);
    } catch (error) {
      query.isStale = true;
      throw error;
    }
    if (name === "channel.listUnread")
      for (const invalidation of unreadInvalidations(this.#state)) this.#invalidate(invalidation);
  }

  get #retries() {
    return { backoff: this.#options.backoff, tries: LOAD_TRIES };
  }

  /** Loads all pages as one result. */
  async #fetchAllPages(name: LoadName, params: Params<LoadName>): Promise<Result<LoadName>> {
    const { call } = this.#options;
    const pages = PAGES[name];
    if (pages === undefined) return call(name, params);
    const { param, next, list, limit } = pages;
    const items: unknown[] = [];
    const users: unknown[] = [];
    for (let cursor: unknown = null; ;) {
      const page: Record<string, unknown> = await call(name, {
        ...requestingUsers(name, params),
        ...(limit !== undefined && { limit }),
        ...(cursor !== null && { [param]: cursor }),
      });
      items.push(...(page[list] as unknown[]));
      users.push(...((page["users"] as unknown[] | undefined) ?? []));
      cursor = page[next];
      if (cursor === null) return { ...page, [list]: items, users } as unknown as Result<LoadName>;
    }
  }

  #queueUsers(userIds: readonly string[]): void {
    if (userIds.length === 0) return;
    if (this.#queuedUsers.size === 0) queueMicrotask(() => void this.#loadQueuedUsers());
    for (const id of userIds) {
      this.#queuedUsers.add(id);
      this.#requestedUsers.add(id);
    }
  }

  async #loadQueuedUsers(): Promise<void> {
    const all = [...this.#queuedUsers];
    this.#queuedUsers = new Set();
    for (let from = 0; from < all.length; from += USERS_PER_LOOKUP) {
      const userIds = all.slice(from, from + USERS_PER_LOOKUP);
      const ask = () => this.#options.call("user.getMany", { userIds });
      const load = () => this.#callAndApply("user.getMany", { userIds }, ask);
      const result = await retrying(load, this.#retries).catch(() => null);
      // Users who don't exist are not requested again.
      for (const id of result?.users.map((user) => user.id) ?? userIds) this.#requestedUsers.delete(id);
      for (const id of userIds) {
        if (result === null) this.#failedUsers.add(id);
        else this.#failedUsers.delete(id);
      }
    }
  }

  /** Stores a result in the state, then applies the events received during the call again. */
  async #callAndApply<N extends ActionName>(
    name: N,
    params: Params<N>,
    call: () => Promise<Result<N>>,
    earlierEvents: readonly StateEvent[] = [],
  ): Promise<Result<N>> {
    if (this.#callsInFlight === 0) {
      this.#bufferedEvents = [];
      this.#droppedEvents = 0;
    }
    const since = this.#droppedEvents + this.#bufferedEvents.length;
    this.#callsInFlight += 1;
    try {
      const response = await call();
      const isTooMuch = since < this.#droppedEvents;
      const events = [
        ...earlierEvents,
        ...this.#bufferedEvents.slice(Math.max(0, since - this.#droppedEvents)),
      ];
      this.#set(events.reduce(reduce, applyResult(this.#state, name, params, response)));
      if (isTooMuch) this.#invalidate({ name, params } as Invalidation);
      return response;
    } finally {
      this.#callsInFlight -= 1;
    }
  }

  #apply(event: StateEvent): void {
    const before = this.#state;
    this.#set(reduce(before, event));
    for (const invalidation of invalidationsOf(before, event)) this.#invalidate(invalidation);
    this.#refetchRemoved(before);
  }

  /** Reloads kept parts of a deleted channel or group to get the server's error. */
  #refetchRemoved(before: ClientState): void {
    if (before.channels === this.#state.channels && before.groups === this.#state.groups) return;
    for (const query of this.#queries.values()) {
      const isRemoved = isLoadedIn(before, query) && !isLoadedIn(this.#state, query);
      if (isRemoved) this.#refetch(query, { crowd: REMOVED_GROUP_CROWD });
    }
  }

  #invalidate(invalidation: Invalidation): void {
    for (const listener of this.#invalidationListeners) callSafely(() => listener(invalidation));
    const { name, params, thenApply } = invalidation;
    if (thenApply !== undefined) void this.#applyAfter(invalidation, thenApply);
    else if (name in LOADS) {
      for (const query of this.#queries.values()) {
        if (query.name === name && matches(query.params, params)) this.#refetch(query, invalidation);
      }
      // A newly visible channel is not kept itself, but belongs to a kept list.
      if (name === "channel.get" && this.#state.channels[params.channelId ?? ""] !== undefined) {
        this.#refetch(this.#query(name, params as Params<"channel.get">), invalidation, true);
      }
    }
  }

  /** @param isNeeded reload even if it is not kept */
  #refetch(
    query: Query,
    { crowd = 1, afterMs = REFETCH_DELAY_MS }: Pick<Invalidation, "crowd" | "afterMs">,
    isNeeded = false,
  ): void {
    query.isStale = true;
    const isInUse = (): boolean => isNeeded || query.retainCount > 0;
    if (!isInUse() || query.timer !== null || this.#isClosed) return;
    const spreadMs = Math.min(this.#options.spreadMs, crowd / 10);
    query.timer = setTimeout(
      () => {
        query.timer = null;
        if (isInUse()) void this.#loadRetained(query);
      },
      afterMs + Math.random() * spreadMs,
    );
  }

  /** Loads the subject of events once, and applies the events again. */
  async #applyAfter({ name, params }: Invalidation, event: StateEvent): Promise<void> {
    const query = this.#query(name as LoadName, params as Params<LoadName>);
    const isFirst = query.loading === null;
    if (isFirst) query.firstEvent = event;
    try {
      await this.#loadOnce(query);
    } catch {
      return; // The channel is gone, or the next message tries again.
    } finally {
      if (isFirst) query.firstEvent = null;
    }
    this.#set(reduce(this.#state, event));
    if (isFirst) {
      for (const invalidation of invalidationsOf(this.#state, event)) {
        if (invalidation.thenApply === undefined) this.#invalidate(invalidation);
      }
    }
  }

  #set(state: ClientState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) callSafely(listener);
  }
}

const stores = new WeakMap<FanfareClient, Store>();

/** The state of this client's session, updated while it is connected. Repeated calls with a client return the same store. */
export function createStore(client: FanfareClient): Store {
  const existing = stores.get(client);
  if (existing !== undefined) return existing;
  const store = new Store({
    // The client can be connected already.
    userId: client.user?.id ?? null,
    call: (name, params) => callServer(name, params),
    isOnline: () => client.state === "online",
    backoff: BACKOFF,
    spreadMs: CROWD_SPREAD_MS,
  });
  stores.set(client, store);
  const callServer = client.wrapCalls(store.wrapCall);
  for (const name of EVENT_NAMES) client.on(name, (payload) => store.receive(name, payload));
  client.on("resync", () => store.invalidateAllLater());
  client.on("connection.changed", ({ state }) => {
    if (state === "online") store.invalidateAll();
    if (state === "closed") store.close();
  });
  return store;
}

function isLoadedIn(state: ClientState, { name, params }: Pick<Query, "name" | "params">): boolean {
  return (LOADS[name] as (state: ClientState, params: object) => boolean)(state, params);
}

function keyOf(name: LoadName, params: object): string {
  return `${name} ${JSON.stringify(params)}`;
}

function matches(params: object, where: object): boolean {
  return Object.entries(where).every(([key, value]) => (params as Record<string, unknown>)[key] === value);
}
