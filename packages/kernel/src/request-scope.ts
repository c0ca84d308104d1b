import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import { LIMITS } from "@fanfare/contract";
import { serviceError } from "./errors.ts";

/** What is being done is for this request of a client. It goes along with everything that is awaited. */
export interface RequestScope {
  /** The same in every process that handles the request; errors to clients contain it. */
  readonly requestId: string;
  /** What was asked of this process. */
  readonly action: string;
  /** The span that new ones are put under; undefined: the request is not traced. */
  readonly span?: Span | undefined;
  /** Spans of further requests that the same work is done for. */
  readonly alsoFor?: readonly Span[];
  readonly beganAtMs: number;
  /** Absent: the work is not for a caller who waits. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Work that never ends, such as a queue that is never empty, goes on in the scope of the request that it began with. After this time
 * it has nothing to do with it any more. Many times as long as a request may take.
 */
const SCOPE_ENDS_AFTER_MS = 60_000;
/** What one write is done for may be hundreds of messages. */
const MAX_ALSO_FOR = 32;

const storage = new AsyncLocalStorage<RequestScope | undefined>();

/** undefined: what runs is done for no request. */
export function currentScope(): RequestScope | undefined {
  const scope = storage.getStore();
  if (scope === undefined || performance.now() - scope.beganAtMs > SCOPE_ENDS_AFTER_MS) return undefined;
  return scope;
}

/** Does something for a request, or for none, here and in whatever it awaits. */
export function runInScope<T>(scope: RequestScope | undefined, work: () => T): T {
  return storage.run(scope, work);
}

/**
 * Completes what has begun: a deadline that passes on the way no longer refuses its database commands. For the steps after a
 * first durable write, and for undoing them.
 */
export function withoutDeadline<T>(work: () => T): T {
  const scope = storage.getStore();
  return scope?.deadline === undefined ? work() : storage.run({ ...scope, deadline: undefined }, work);
}

/** Runs what came in as a call: its deadline holds until it is answered. */
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
  // What a service calls in its own process is done for the same request, and for the same caller.
  const isNested = current?.deadline?.isAnswered === false;
  if (isSameRequest && (deadline === undefined ? current.deadline === undefined : isNested))
    return work(argument);
  const scope: RequestScope = isSameRequest
    ? { ...current, deadline }
    : { requestId, action, beganAtMs: performance.now(), deadline };
  if (deadline === undefined) return storage.run(scope, work, argument);
  return (storage.run(scope, work, argument) as Promise<unknown>).finally(() => (deadline.isAnswered = true));
}

/** The scope of what is done for several requests at once: that of a traced one, where there is one, until the last deadline. */
export function commonScope(scopes: readonly (RequestScope | undefined)[]): RequestScope | undefined {
  const [first] = scopes;
  if (scopes.length === 1) return first;
  const main = scopes.find((scope) => scope?.span !== undefined) ?? first;
  if (main === undefined) return undefined;
  const spans = scopes.flatMap((scope) => (scope?.span === undefined ? [] : [scope.span]));
  const alsoFor = spans.filter((span) => span !== main.span).slice(0, MAX_ALSO_FOR);
  return { ...main, deadline: lastDeadline(scopes), ...(alsoFor.length > 0 && { alsoFor }) };
}

/** undefined where one of them has none. */
function lastDeadline(scopes: readonly (RequestScope | undefined)[]): Deadline | undefined {
  let last: Deadline | undefined;
  for (const scope of scopes) {
    if (scope?.deadline === undefined || scope.deadline.isAnswered) return undefined;
    if (last === undefined || scope.deadline.atMs > last.atMs) last = scope.deadline;
  }
  return last;
}

/**
 * When the caller of the work under way stops waiting for its answer. Work that is dequeued, and every command that gets a
 * database connection, is refused from then on: its result would be thrown away, and the next caller would wait for it.
 */
interface Deadline {
  /** Milliseconds since the epoch, on this machine's clock. */
  readonly atMs: number;
  /** The call was answered. What it left running in the background has no deadline. */
  isAnswered: boolean;
}

/**
 * Between processes the absolute time travels, not the remaining time: a process that was frozen would take the remaining
 * time for unspent when it reads the call. So the clocks of a cluster's machines must agree. A call of another process is
 * carried out up to this much after its deadline, in milliseconds, and a clock that differs by less refuses no call early.
 */
export const CLOCK_TOLERANCE_MS = 1000;

const RETRY_AFTER_MS = 1000;

/** The deadline of a call that begins now, in milliseconds since the epoch. */
export function newDeadlineMs(timeoutMs: number = LIMITS.writeTimeoutMs): number {
  return Date.now() + timeoutMs;
}

/** The deadline that came with a call, on this machine's clock. */
export function deadlineOf(deadlineMs: number, isFromAnotherProcess: boolean): Deadline {
  if (!isFromAnotherProcess) return { atMs: deadlineMs, isAnswered: false };
  // A caller whose clock is ahead waits no longer than others.
  const latestMs = newDeadlineMs();
  return { atMs: Math.min(deadlineMs, latestMs) + CLOCK_TOLERANCE_MS, isAnswered: false };
}

export function hasPassed(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && !deadline.isAnswered && Date.now() > deadline.atMs;
}

/** @throws {ServiceError} UNAVAILABLE when no one waits for the answer any more */
export function refuseLate(deadline: Deadline | undefined): void {
  if (hasPassed(deadline)) throw serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
}
