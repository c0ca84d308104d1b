import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import { LIMITS } from "@fanfare/contract";
import { unavailable } from "./errors.ts";

/** The client's request that the current work belongs to, propagated by AsyncLocalStorage. */
export interface RequestScope {
  /** The same in every process that handles the request; errors to clients contain it. */
  readonly requestId: string;
  /** The action that this process was called with. */
  readonly action: string;
  /** The parent of new spans; undefined if the request isn't traced. */
  readonly span?: Span | undefined;
  /** Spans of other requests that the same work is done for. */
  readonly linkedSpans?: readonly Span[];
  readonly startedAtMs: number;
  /** Absent if no caller waits for the work. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Endless work, such as a queue that never becomes empty, stays in the scope of the request that started it. After this time, many
 * times as long as any request takes, it no longer belongs to it.
 */
const SCOPE_MAX_AGE_MS = 60_000;
/** A batch can belong to hundreds of requests. */
const MAX_LINKED_SPANS = 32;

const storage = new AsyncLocalStorage<RequestScope | undefined>();

/** undefined if the current work belongs to no request. */
export function currentScope(): RequestScope | undefined {
  const scope = storage.getStore();
  if (scope === undefined || performance.now() - scope.startedAtMs > SCOPE_MAX_AGE_MS) return undefined;
  return scope;
}

/** Runs work, including everything that it awaits, as part of a request or of none. */
export function runInScope<T>(scope: RequestScope | undefined, work: () => T): T {
  return storage.run(scope, work);
}

/**
 * Runs work whose database commands are not rejected after the deadline: for the steps after a first durable write, and for
 * reverting them.
 */
export function withoutDeadline<T>(work: () => T): T {
  const scope = storage.getStore();
  return scope?.deadline === undefined ? work() : storage.run({ ...scope, deadline: undefined }, work);
}

/** Runs an incoming call. Its deadline applies until it is answered. */
export function runForRequest<A, T>(
  requestId: string,
  action: string,
  work: (argument: A) => Promise<T>,
  argument: A,
  deadline?: Deadline,
): Promise<T>;
export function runForRequest<A, T>(
  requestId: string,
  action: string,
  work: (argument: A) => T,
  argument: A,
): T;
export function runForRequest<A>(
  requestId: string,
  action: string,
  work: (argument: A) => unknown,
  argument: A,
  deadline?: Deadline,
): unknown {
  const current = storage.getStore();
  const isSameRequest = current !== undefined && current.requestId === requestId;
  // A nested call within the process belongs to the same request and caller.
  const isNested = current?.deadline?.isAnswered === false;
  if (isSameRequest && (deadline === undefined ? current.deadline === undefined : isNested))
    return work(argument);
  const scope: RequestScope = isSameRequest
    ? { ...current, deadline }
    : { requestId, action, startedAtMs: performance.now(), deadline };
  if (deadline === undefined) return storage.run(scope, work, argument);
  return (storage.run(scope, work, argument) as Promise<unknown>).finally(() => (deadline.isAnswered = true));
}

/** The scope of work for several requests: that of a traced one if there is any, with the latest deadline. */
export function mergedScope(scopes: readonly (RequestScope | undefined)[]): RequestScope | undefined {
  const [first] = scopes;
  if (scopes.length === 1) return first;
  const main = scopes.find((scope) => scope?.span !== undefined) ?? first;
  if (main === undefined) return undefined;
  const spans = scopes.flatMap((scope) => (scope?.span === undefined ? [] : [scope.span]));
  const linkedSpans = spans.filter((span) => span !== main.span).slice(0, MAX_LINKED_SPANS);
  return { ...main, deadline: latestDeadline(scopes), ...(linkedSpans.length > 0 && { linkedSpans }) };
}

/** undefined if any of them has no deadline. */
function latestDeadline(scopes: readonly (RequestScope | undefined)[]): Deadline | undefined {
  let last: Deadline | undefined;
  for (const scope of scopes) {
    if (scope?.deadline === undefined || scope.deadline.isAnswered) return undefined;
    if (last === undefined || scope.deadline.atMs > last.atMs) last = scope.deadline;
  }
  return last;
}

/**
 * When the caller stops waiting. From then on, dequeued tasks and database commands of the call are rejected, because their result
 * would be discarded while other callers wait.
 */
interface Deadline {
  /** Milliseconds since the epoch, on this machine's clock. */
  readonly atMs: number;
  /** Whether the call was answered. Background work that it started has no deadline. */
  isAnswered: boolean;
}

/**
 * Processes exchange absolute deadlines, because a process that was suspended would measure a remaining time from when it reads the
 * call. So the clocks of a cluster must be synchronized. Calls of other processes are executed up to this many milliseconds after
 * their deadline, so that a smaller clock skew rejects no call early.
 */
export const CLOCK_TOLERANCE_MS = 1000;

/** The deadline of a new call, in milliseconds since the epoch. */
export function newDeadlineMs(timeoutMs: number = LIMITS.writeTimeoutMs): number {
  return Date.now() + timeoutMs;
}

/** The deadline of a received call, on this machine's clock. */
export function deadlineOf(deadlineMs: number, isFromAnotherProcess: boolean): Deadline {
  if (!isFromAnotherProcess) return { atMs: deadlineMs, isAnswered: false };
  // Limits the deadline of a caller whose clock is ahead.
  const latestMs = newDeadlineMs();
  return { atMs: Math.min(deadlineMs, latestMs) + CLOCK_TOLERANCE_MS, isAnswered: false };
}

export function isExceeded(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && !deadline.isAnswered && Date.now() > deadline.atMs;
}

/** @throws {ServiceError} UNAVAILABLE if the deadline has passed */
export function assertNotExceeded(deadline: Deadline | undefined): void {
  if (isExceeded(deadline)) throw unavailable();
}
