import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";

/** What is being done is for this request of a client. It goes along with everything that is awaited. */
export interface RequestScope {
  /** The same in every process that has to do with the request; clients are told it in errors. */
  readonly requestId: string;
  /** What was asked of this process. */
  readonly action: string;
  /** The span that new ones are put under; undefined: the request is not traced. */
  readonly span?: Span | undefined;
  /** Spans of further requests that the same work is done for. */
  readonly alsoFor?: readonly Span[];
  readonly beganAtMs: number;
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

/** The same for what came in as a call. */
export function runForRequest<A, T>(
  requestId: string,
  action: string,
  work: (argument: A) => T,
  argument: A,
): T {
  // What a service calls in its own process is done for the same request.
  if (storage.getStore()?.requestId === requestId) return work(argument);
  return storage.run({ requestId, action, beganAtMs: performance.now() }, work, argument);
}

/** The scope of what is done for several requests at once: that of a traced one, where there is one. */
export function commonScope(scopes: readonly (RequestScope | undefined)[]): RequestScope | undefined {
  const [first] = scopes;
  if (scopes.length === 1) return first;
  const main = scopes.find((scope) => scope?.span !== undefined);
  if (main === undefined) return first;
  const spans = scopes.flatMap((scope) => (scope?.span === undefined ? [] : [scope.span]));
  return { ...main, alsoFor: spans.filter((span) => span !== main.span).slice(0, MAX_ALSO_FOR) };
}
