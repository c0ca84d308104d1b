import { type FanfareClient, FanfareError } from "@fanfare/client";
import type { Call, Params, Result, ActionName } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { ServerCache } from "./cache.ts";

/** Missing IDs in the result don't exist. */
type LoadMany<V> = (ids: string[]) => Promise<Map<string, V>>;

interface LookupOptions<V> {
  load: LoadMany<V>;
  perCall: number;
  /** The oldest entries are evicted beyond this number. */
  max: number;
}

/** Values by ID. Lookups in the same moment are batched. */
export class Lookup<V> {
  readonly #options: LookupOptions<V>;
  readonly #values = new Map<string, V>();
  readonly #requested = new Set<string>();
  readonly #failed = new Set<string>();
  /** For each call in progress: the values that have changed since it began, so that its result can be older. */
  readonly #changed = new Set<Set<string>>();
  readonly #listeners = new Set<() => void>();
  #queued = new Set<string>();
  #version = 0;

  constructor(options: LookupOptions<V>) {
    this.#options = options;
  }

  /** Incremented with every change. */
  readonly version = (): number => this.#version;

  readonly get = (id: string): V | undefined => this.#values.get(id);

  request(id: string): void {
    if (this.#values.has(id) || this.#requested.has(id)) return;
    this.#requested.add(id);
    this.#queue([id]);
  }

  /** Changes a cached value. If a call in progress asks for it, it is loaded once more. */
  change(id: string, change: (value: V) => V): void {
    for (const changed of this.#changed) changed.add(id);
    const value = this.#values.get(id);
    if (value !== undefined) this.put([[id, change(value)]]);
  }

  put(values: Iterable<readonly [string, V]>): void {
    for (const [id, value] of values) {
      this.#values.delete(id);
      this.#values.set(id, value);
    }
    for (const id of this.#values.keys()) {
      if (this.#values.size <= this.#options.max) break;
      this.#values.delete(id);
      this.#requested.delete(id);
    }
    this.#notify();
  }

  /** Evicts a value. */
  evict(id: string): void {
    this.#requested.delete(id);
    if (this.#values.delete(id)) this.#notify();
  }

  /** Refetches all cached values, and those that failed. */
  refresh(): void {
    this.#requested.clear();
    this.#queue(this.#values.keys());
    this.retry();
  }

  /** Requests again what failed. */
  retry(): void {
    const ids = [...this.#failed];
    this.#failed.clear();
    for (const id of ids) this.request(id);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #queue(ids: Iterable<string>): void {
    for (const id of ids) {
      if (this.#queued.size === 0) queueMicrotask(() => void this.#load());
      this.#queued.add(id);
    }
  }

  async #load(): Promise<void> {
    const ids = [...this.#queued];
    this.#queued = new Set();
    for (let from = 0; from < ids.length; from += this.#options.perCall) {
      const some = ids.slice(from, from + this.#options.perCall);
      const changed = new Set<string>();
      this.#changed.add(changed);
      try {
        const found = await this.#options.load(some);
        this.put([...found].filter(([id]) => !changed.has(id)));
      } catch {
        for (const id of some) {
          this.#requested.delete(id);
          this.#failed.add(id);
        }
      }
      this.#changed.delete(changed);
      this.#queue(some.filter((id) => changed.has(id)));
    }
  }

  #notify(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

type MemberCall = Params<"group.getMember">;
type MemberResult = Result<"group.getMember">;

/** `client.call` that batches single lookups of group members. */
export function batchedCall(client: FanfareClient): Call {
  const getMember = batch<MemberCall, MemberResult>((params) => getMembers(client, params));
  return (name, params) =>
    name === "group.getMember"
      ? (getMember(params as MemberCall) as ReturnType<typeof client.call<typeof name>>)
      : client.call(name, params);
}

interface QueuedCall<A, R> {
  params: A;
  resolve: (result: Promise<R>) => void;
}

/** Batches the requests of everything that renders at once. */
function batch<A, R>(callAll: (all: readonly A[]) => readonly Promise<R>[]): (params: A) => Promise<R> {
  let queue: QueuedCall<A, R>[] = [];
  const flush = (): void => {
    const all = queue;
    queue = [];
    const results = callAll(all.map(({ params }) => params));
    for (const [index, { resolve }] of all.entries()) resolve(results[index]!);
  };
  return (params) =>
    new Promise((resolve) => {
      if (queue.length === 0) setTimeout(flush);
      queue.push({ params, resolve });
    });
}

function getMembers(client: FanfareClient, params: readonly MemberCall[]): Promise<MemberResult>[] {
  const calls = new Map<MemberCall, Promise<Result<"group.getMembers">>>();
  for (const groupId of new Set(params.map((one) => one.groupId))) {
    const some = params.filter((one) => one.groupId === groupId);
    for (let from = 0; from < some.length; from += LIMITS.usersPerLookup) {
      const together = some.slice(from, from + LIMITS.usersPerLookup);
      const userIds = together.map(({ userId }) => userId);
      const call = client.call("group.getMembers", { groupId, userIds });
      for (const one of together) calls.set(one, call);
    }
  }
  return params.map(async (one) => {
    const { members } = await calls.get(one)!;
    const member = members.find(({ userId }) => userId === one.userId);
    if (member !== undefined) return { member };
    const message = "This user is no member of the group.";
    throw new FanfareError({ type: "MEMBER_NOT_FOUND", message, retryable: false, requestId: "" });
  });
}

/** Returns the same list if nothing was removed. */
export function without<T>(list: T[], isGone: (item: T) => boolean): T[] {
  return list.some((item) => isGone(item)) ? list.filter((item) => !isGone(item)) : list;
}

/** Replaces the matching item; otherwise inserts the new one as `compare` says, or at the end. */
export function withItem<T>(
  list: T[],
  item: T,
  isSame: (held: T) => boolean,
  compare?: (a: T, b: T) => number,
): T[] {
  const index = list.findIndex(isSame);
  const next = index === -1 ? [...list, item] : list.with(index, item);
  return compare === undefined ? next : next.sort(compare);
}

/** Applies `change` to the matching items. */
export function updateMatching<T>(list: T[], matches: (item: T) => boolean, change: (item: T) => T): T[] {
  if (!list.some((item) => matches(item))) return list;
  let isChanged = false;
  const next = list.map((item) => {
    const after = matches(item) ? change(item) : item;
    isChanged ||= after !== item;
    return after;
  });
  return isChanged ? next : list;
}

/** Replaces a list in a response; returns the same response if the list is the same. */
export function withList<A extends object, K extends keyof A>(response: A, key: K, list: A[K]): A {
  return response[key] === list ? response : { ...response, [key]: list };
}

/** Creates one instance per session. */
export function perCache<T>(make: (cache: ServerCache) => T): (cache: ServerCache) => T {
  const instances = new WeakMap<ServerCache, T>();
  return (cache) => {
    const existing = instances.get(cache);
    if (existing !== undefined) return existing;
    const created = make(cache);
    instances.set(cache, created);
    return created;
  };
}

/** Beyond this number, the state of the least recently used channel is dropped. */
const MAX_CHANNELS = 50;

/** One instance per channel. */
export class PerChannel<T> {
  readonly #make: (channelId: string) => T;
  readonly #instances = new Map<string, T>();

  constructor(make: (channelId: string) => T) {
    this.#make = make;
  }

  of(channelId: string): T {
    const value = this.#instances.get(channelId) ?? this.#make(channelId);
    this.#instances.delete(channelId);
    this.#instances.set(channelId, value);
    for (const oldest of this.#instances.keys()) {
      if (this.#instances.size <= MAX_CHANNELS) break;
      this.#instances.delete(oldest);
    }
    return value;
  }

  all(): Iterable<T> {
    return this.#instances.values();
  }
}

/** The cache updates of a call besides those of its events. */
export interface Effect<N extends ActionName> {
  /** Optimistic update. Returns a function that reverts it if the call fails. */
  before?(cache: ServerCache, params: Params<N>): () => void;
  after?(cache: ServerCache, params: Params<N>, response: Result<N>): void;
}
export type Effects = { [N in ActionName]?: Effect<N> };
