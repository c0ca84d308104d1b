import type { ActionName, Call, EventName, EventPayload, Params, Result } from "@fanfare/contract";
import type { CallWrapper, FanfareClient } from "../client.ts";
import { callSafely } from "../emitter.ts";
import { FanfareError, retryAfterMsOf } from "../errors.ts";
import { type Backoff, retryMs, sleep } from "../timing.ts";
import { absorb, isAbsorbed } from "./answers.ts";
import { type Invalidation, invalidationsOf, unreadInvalidations } from "./invalidations.ts";
import { EVENT_NAMES } from "@fanfare/contract/manifest";
import { LOADS, type LoadName } from "./loads.ts";
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
interface Question {
  name: LoadName;
  params: Params<LoadName>;
  /** The number of `keep` calls that hold it. */
  keepers: number;
  /** Events can have changed the result in a way that they did not include. */
  isStale: boolean;
  error: FanfareError | null;
  loading: Promise<void> | null;
  timer: ReturnType<typeof setTimeout> | null;
}

/** All members of a deleted group reload at the same time. */
const FORGOTTEN_CROWD = 5000;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 3_000 };
/** Random delay after an event that many clients received at once. */
const CROWD_SPREAD_MS = 2_000;
const LOAD_TRIES = 5;
const SOON_MS = 50;
/** If more events than this arrive during a call, it is repeated instead of applying them. */
const MAX_EVENTS_MEANWHILE = 500;

/**
 * The state of one session, kept current by events, by the results of this client's own calls, and by reloading what
 * an event does not fully include.
 */
export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  readonly #invalidationListeners = new Set<(invalidation: Invalidation) => void>();
  readonly #questions = new Map<string, Question>();
  /** Events since the start of the oldest pending call. */
  #meanwhile: StateEvent[] = [];
  #underWay = 0;
  #isClosed = false;
  #later: ReturnType<typeof setTimeout> | null = null;
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
    return this.#loadOnce(this.#question(name, params));
  }

  /** Loads a part of the state, and reloads it when it can be outdated. Returns a function that stops this. */
  keep<N extends LoadName>(name: N, params: Params<N>): () => void {
    const question = this.#question(name, params);
    question.keepers += 1;
    void this.#loadKept(question);
    return () => {
      question.keepers -= 1;
    };
  }

  isLoaded<N extends LoadName>(name: N, params: Params<N>): boolean {
    return isIn(this.#state, { name, params });
  }

  /** The error of a part of the state that failed to load; null if it is loaded or loading. */
  errorOf<N extends LoadName>(name: N, params: Params<N>): FanfareError | null {
    return this.#questions.get(keyOf(name, params))?.error ?? null;
  }

  /** Reloads a part of the state. Never rejects: see `errorOf`. */
  async reload<N extends LoadName>(name: N, params: Params<N>): Promise<void> {
    const question = this.#question(name, params);
    question.isStale = true;
    await this.#loadKept(question);
  }

  /** Applies the expected outcome of a call; use `reload` to revert it if the call fails. */
  predict(event: StateEvent): void {
    this.#set(reduce(this.#state, event));
  }

  /** @internal An event of the server. */
  receive<N extends EventName>(name: N, payload: EventPayload<N>): void {
    const event = { name, payload } as StateEvent;
    if (this.#underWay > 0 && this.#meanwhile.length <= MAX_EVENTS_MEANWHILE) this.#meanwhile.push(event);
    this.#apply(event);
  }

  /** @internal Makes a call, and stores its result in the state if it belongs there. */
  readonly around: CallWrapper = (name, params, ask) => {
    // One page of a list is not enough to update the whole list.
    const isPart = name in LOADS && LOADS[name as LoadName].pages !== undefined;
    if (isPart || !isAbsorbed(name)) return ask();
    return this.#asking(name, params, ask);
  };

  /** @internal Events may have been lost. */
  invalidateAll(): void {
    for (const question of this.#questions.values()) {
      question.isStale = true;
      if (question.keepers > 0) void this.#loadKept(question);
    }
  }

  /** @internal The same after a random delay: all other clients received the same event. */
  invalidateAllLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = null;
      this.invalidateAll();
    }, Math.random() * this.#options.spreadMs);
  }

  /** @internal */
  close(): void {
    this.#isClosed = true;
    if (this.#later !== null) clearTimeout(this.#later);
    for (const { timer } of this.#questions.values()) if (timer !== null) clearTimeout(timer);
  }

  #question(name: LoadName, params: Params<LoadName>): Question {
    const key = keyOf(name, params);
    const held = this.#questions.get(key);
    if (held !== undefined) return held;
    const fresh = { name, params, keepers: 0, isStale: false, error: null, loading: null, timer: null };
    this.#questions.set(key, fresh);
    return fresh;
  }

  #loadOnce(question: Question): Promise<void> {
    if (question.loading === null && !question.isStale && this.isLoaded(question.name, question.params)) {
      return Promise.resolve();
    }
    question.loading ??= this.#loadNow(question).finally(() => {
      question.loading = null;
    });
    return question.loading;
  }

  async #loadKept(question: Question): Promise<void> {
    // Everything is reloaded on the next connection.
    if (!this.#options.isOnline()) return;
    const { error } = question;
    question.error = null;
    try {
      // A pending call can have been answered before the change.
      if (question.isStale) await question.loading?.catch(() => undefined);
      await this.#loadOnce(question);
      if (error !== null) this.#notify();
    } catch (failure) {
      if (!(failure instanceof FanfareError)) throw failure;
      question.error = failure;
      this.#notify();
    }
  }

  async #loadNow(question: Question): Promise<void> {
    const { name, params } = question;
    for (let tries = 1; ; tries += 1) {
      question.isStale = false;
      try {
        await this.#asking(name, params, () => this.#fetchAllPages(name, params));
        if (name === "channel.listUnread")
          for (const invalidation of unreadInvalidations(this.#state)) this.#invalidate(invalidation);
        return;
      } catch (error) {
        if (!(error instanceof FanfareError) || !error.retryable || tries === LOAD_TRIES || this.#isClosed) {
          question.isStale = true;
          throw error;
        }
        await sleep(retryMs(tries - 1, this.#options.backoff, retryAfterMsOf(error)));
      }
    }
  }

  /** Loads all pages as one result. */
  async #fetchAllPages(name: LoadName, params: Params<LoadName>): Promise<Result<LoadName>> {
    const { call } = this.#options;
    const { pages } = LOADS[name] as {
      pages?: { param: string; next: string; list: string; limit?: number };
    };
    if (pages === undefined) return call(name, params);
    const { param, next, list, limit } = pages;
    const items: unknown[] = [];
    for (let cursor: unknown = null; ;) {
      const page: Record<string, unknown> = await call(name, {
        ...params,
        ...(limit !== undefined && { limit }),
        ...(cursor !== null && { [param]: cursor }),
      });
      items.push(...(page[list] as unknown[]));
      cursor = page[next];
      if (cursor === null) return { ...page, [list]: items } as Result<LoadName>;
    }
  }

  /** Stores a result in the state, then applies the events received during the call again. */
  async #asking<N extends ActionName>(
    name: N,
    params: Params<N>,
    ask: () => Promise<Result<N>>,
  ): Promise<Result<N>> {
    if (this.#underWay === 0) this.#meanwhile = [];
    const since = this.#meanwhile.length;
    this.#underWay += 1;
    try {
      const answer = await ask();
      const isTooMuch = this.#meanwhile.length > MAX_EVENTS_MEANWHILE;
      const events = this.#meanwhile.slice(since);
      this.#set(events.reduce(reduce, absorb(this.#state, name, params, answer)));
      if (isTooMuch) this.#invalidate({ name, params } as Invalidation);
      return answer;
    } finally {
      this.#underWay -= 1;
    }
  }

  #apply(event: StateEvent): void {
    const before = this.#state;
    this.#set(reduce(before, event));
    for (const invalidation of invalidationsOf(before, event)) this.#invalidate(invalidation);
    this.#refetchForgotten(before);
  }

  /** Reloads kept parts of a deleted channel or group to get the server's error. */
  #refetchForgotten(before: ClientState): void {
    if (before.channels === this.#state.channels && before.groups === this.#state.groups) return;
    for (const question of this.#questions.values()) {
      const isForgotten = isIn(before, question) && !isIn(this.#state, question);
      if (isForgotten) this.#refetch(question, { crowd: FORGOTTEN_CROWD });
    }
  }

  #invalidate(invalidation: Invalidation): void {
    for (const listener of this.#invalidationListeners) callSafely(() => listener(invalidation));
    const { name, params, thenApply } = invalidation;
    if (thenApply !== undefined) void this.#applyAfter(invalidation, thenApply);
    else if (name in LOADS) {
      for (const question of this.#questions.values()) {
        if (question.name === name && matches(question.params, params)) this.#refetch(question, invalidation);
      }
      // A newly visible channel is not kept itself, but belongs to a kept list.
      if (name === "channel.get" && this.#state.channels[params.channelId ?? ""] !== undefined) {
        this.#refetch(this.#question(name, params as Params<"channel.get">), invalidation, true);
      }
    }
  }

  /** @param isNeeded reload even if it is not kept */
  #refetch(
    question: Question,
    { crowd = 1, afterMs = SOON_MS }: Pick<Invalidation, "crowd" | "afterMs">,
    isNeeded = false,
  ): void {
    question.isStale = true;
    const isAsked = (): boolean => isNeeded || question.keepers > 0;
    if (!isAsked() || question.timer !== null || this.#isClosed) return;
    const spreadMs = Math.min(this.#options.spreadMs, crowd / 10);
    question.timer = setTimeout(
      () => {
        question.timer = null;
        if (isAsked()) void this.#loadKept(question);
      },
      afterMs + Math.random() * spreadMs,
    );
  }

  /** Loads the subject of events once, and applies the events again. */
  async #applyAfter({ name, params }: Invalidation, event: StateEvent): Promise<void> {
    const question = this.#question(name as LoadName, params as Params<LoadName>);
    const isFirst = question.loading === null;
    try {
      await this.#loadOnce(question);
    } catch {
      return; // The channel is gone, or the next message tries again.
    }
    const { name: kind } = event;
    this.#set(reduce(this.#state, event));
    if (isFirst) {
      for (const invalidation of invalidationsOf(this.#state, { ...event, name: kind } as StateEvent)) {
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
  const callServer = client.wrapCalls(store.around);
  for (const name of EVENT_NAMES) client.on(name, (payload) => store.receive(name, payload));
  client.on("resync", () => store.invalidateAllLater());
  client.on("connection.changed", ({ state }) => {
    if (state === "online") store.invalidateAll();
    if (state === "closed") store.close();
  });
  return store;
}

function isIn(state: ClientState, { name, params }: Pick<Question, "name" | "params">): boolean {
  return (LOADS[name].isLoaded as (state: ClientState, params: object) => boolean)(state, params);
}

function keyOf(name: LoadName, params: object): string {
  return `${name} ${JSON.stringify(params)}`;
}

function matches(params: object, where: object): boolean {
  return Object.entries(where).every(([key, value]) => (params as Record<string, unknown>)[key] === value);
}
