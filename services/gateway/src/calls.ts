import {
  ACTIONS,
  LIMITS,
  needsSecondFactor,
  pausesInMaintenance,
  type ActionDefinition,
  type Transport,
  type WireAnswer,
} from "@fanfare/contract";
import {
  parse,
  logsCalls,
  newDeadlineMs,
  overloaded,
  serviceError,
  ServiceError,
  toServiceError,
  toWireError,
  unavailable,
  within,
  type Actor,
  type CallMeta,
  type ClientRequest,
  type InRequest,
  type Logger,
  type RateLimits,
  WorkTimer,
} from "@fanfare/kernel";
import { Admission, ADMISSION_WINDOW_MS, UsualDuration, type CallKind } from "./admission.ts";
import { ADDRESS_RATE_LIMIT, PAGE_RATE_LIMIT, RECONNECT_WITHIN_MS, WORK_TIMEOUT_MS } from "./constants.ts";
import { ActionLimits, FullChannels, ReadLimits, responseBytes, type Wait } from "./call-limits.ts";
import type { ActionMetrics, GatewayMetrics, Outcome } from "./metrics.ts";

/** The origin of a call. */
export interface Caller {
  actor: Actor | null;
  address: string;
  /** Only for HTTP. */
  userAgent?: string | null;
  requestId: string;
  /** Returns the id of the device if this account has logged in on it before. */
  knownDevice?: (name: string) => string | null;
  /** Whether earlier responses are still unread. */
  isSlow?: () => boolean;
}

type BrokerCall = (
  name: string,
  params: unknown,
  options: { meta: CallMeta; timeout: number },
) => Promise<unknown>;

export interface CallsOptions {
  call: BrokerCall;
  limits: RateLimits;
  metrics: GatewayMetrics;
  logger: Logger;
  inRequest: InRequest;
  /** The error for changes during maintenance, or null. */
  paused: () => ServiceError | null;
  /** @throws {ServiceError} when the caller must set up a second factor first */
  assertSecondFactor: (actor: Actor) => Promise<void> | undefined;
  /** Called for each change by a user. */
  onUse?: (actor: Actor) => void;
  /** Multiplies the rate limits. */
  rateLimitFactor?: number;
  /** By their full names. */
  pluginActions?: Readonly<Record<string, ActionDefinition>>;
}

type Refused = Extract<WireAnswer<unknown>, { ok: false }>;

interface Route {
  name: string;
  params: ActionDefinition["params"];
  isPublic: boolean;
  /** Whether only admins can call it during maintenance. */
  pauses: boolean;
  needsSecondFactor: boolean;
  mutates: boolean;
  isHeavyRead: boolean;
  shardBy: ActionDefinition["shardBy"];
  limits: ActionLimits;
  metrics: ActionMetrics;
  usual: UsualDuration | null;
}

const stopping = (): ServiceError => unavailable(RECONNECT_WITHIN_MS);

/** The only way from clients to actions: only actions that the contract or a plug-in defines for the transport can be called. */
export class Calls {
  readonly #routes: Record<Transport, ReadonlyMap<string, Route>>;
  readonly #options: CallsOptions;
  readonly #logsCalls: boolean;
  readonly #addressLimit: ReturnType<RateLimits["quick"]>;
  readonly #pageLimit: ReturnType<RateLimits["quick"]>;
  readonly #reads: ReadLimits;
  readonly #fullChannels = new FullChannels();
  /** Limits the calls in progress. */
  readonly admission = new Admission(() => this.#ticking.start());
  readonly #ticking = new WorkTimer(ADMISSION_WINDOW_MS, () => this.admission.tick());
  readonly #usualFollowing = new UsualDuration();
  #draining = false;

  constructor(options: CallsOptions) {
    const { limits: rateLimits, metrics, rateLimitFactor = 1, pluginActions = {} } = options;
    this.#options = options;
    this.#logsCalls = logsCalls(options.logger);
    this.#addressLimit = rateLimits.quick("address", ADDRESS_RATE_LIMIT);
    this.#pageLimit = rateLimits.quick("page", PAGE_RATE_LIMIT);
    this.#reads = new ReadLimits(rateLimits, rateLimitFactor);
    const routes = { socket: new Map<string, Route>(), http: new Map<string, Route>() };
    const all: Readonly<Record<string, ActionDefinition>> = { ...ACTIONS, ...pluginActions };
    for (const [name, definition] of Object.entries(all)) {
      const { params, permission, rateLimit, mutates, isHeavy, shardBy, transports } = definition;
      const { waitsForBot = false } = definition;
      const route = {
        name,
        params,
        isPublic: permission.rule === "public",
        pauses: pausesInMaintenance(definition),
        needsSecondFactor: needsSecondFactor(definition),
        mutates,
        isHeavyRead: isHeavy === true,
        shardBy,
        limits: new ActionLimits(name, rateLimit, rateLimits),
      };
      for (const transport of transports)
        routes[transport].set(name, {
          ...route,
          metrics: metrics.ofAction(name, transport),
          usual: waitsForBot ? null : new UsualDuration(),
        });
    }
    this.#routes = routes;
  }

  /** Never rejects: errors are returned as an answer. */
  answer(transport: Transport, name: unknown, params: unknown, caller: Caller): Promise<WireAnswer<unknown>> {
    const { requestId } = caller;
    const route = typeof name === "string" ? this.#routes[transport].get(name) : undefined;
    if (route === undefined) {
      const refusal = this.checkRequest(caller.address) ?? serviceError("UNKNOWN_ACTION");
      return Promise.resolve(this.refuse(refusal, requestId));
    }
    const startedAtMs = performance.now();
    const request = { requestId, action: route.name, transport, startedAtMs };
    return this.#options.inRequest(request, () => this.#answer(route, request, params, caller), outcomeOf);
  }

  /** Measures duration and outcome once, so that metrics, log and trace agree. */
  async #answer(
    route: Route,
    { action, transport, startedAtMs, requestId }: ClientRequest,
    params: unknown,
    caller: Caller,
  ): Promise<WireAnswer<unknown>> {
    let response: WireAnswer<unknown>;
    try {
      response = { ok: true, data: await this.#execute(route, params, caller) };
    } catch (thrown) {
      const error = toServiceError(thrown);
      // A ServiceError was logged where it was created.
      if (error.type === "INTERNAL" && !(thrown instanceof ServiceError))
        this.#options.logger.error({ err: thrown, action, requestId }, "call failed");
      response = { ok: false, error: toWireError(error, requestId) };
    }
    const outcome = outcomeOf(response);
    const durationMs = performance.now() - startedAtMs;
    route.metrics.answered(outcome, durationMs);
    if (this.#logsCalls)
      this.#options.logger.debug({ action, transport, outcome, durationMs }, "call answered");
    return response;
  }

  async #execute(route: Route, params: unknown, caller: Caller): Promise<unknown> {
    const waiting = this.#take(route, caller);
    // Synchronous unless counters are shared, so that a message isn't delayed.
    const refusal = this.#refusal(route, caller, typeof waiting === "number" ? waiting : await waiting);
    if (refusal !== null) {
      this.#options.metrics.refused(refusal.type);
      throw refusal;
    }
    if (route.needsSecondFactor && caller.actor !== null) {
      const asking = this.#options.assertSecondFactor(caller.actor);
      if (asking !== undefined) await asking;
    }
    if (route.mutates && caller.actor !== null) this.#options.onUse?.(caller.actor);
    return this.#run(route, params, caller);
  }

  /** The answer for a rejection by the gateway itself. */
  refuse(error: ServiceError, requestId: string): Refused {
    const { metrics, logger } = this.#options;
    metrics.refused(error.type);
    if (error.type === "INTERNAL") logger.error({ err: error.cause, requestId }, "gateway error");
    return { ok: false, error: toWireError(error, requestId) };
  }

  /** Counts a request for a file of the page. @returns the error if it is rejected, otherwise null */
  checkPageRequest(address: string): ServiceError | null {
    const retryAfterMs = this.#pageLimit.take(address, Date.now());
    return retryAfterMs > 0 ? serviceError("RATE_LIMITED", { retryAfterMs }) : null;
  }

  /** Counts any other request that isn't an action call. @returns the error if it is rejected, otherwise null */
  checkRequest(address: string): ServiceError | null {
    const nowMs = Date.now();
    const retryAfterMs =
      this.#addressLimit.take(address, nowMs) || this.#reads.waitMs({ userId: null, address }, nowMs);
    return retryAfterMs > 0 ? serviceError("RATE_LIMITED", { retryAfterMs }) : null;
  }

  /** Charges the response to such a request. */
  chargeResponse(address: string, bytes: number): void {
    this.#reads.charge({ userId: null, address }, bytes, 0, Date.now());
  }

  /**
   * Counts work that follows an accepted call, such as the end of an upload. It is never rejected, but other calls are while it
   * is slow.
   */
  async follow<T>(work: () => Promise<T>): Promise<T> {
    const end = this.admission.begin("heavy", this.#usualFollowing);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Makes a change that isn't an action call of a client, such as one by SCIM.
   * @throws {ServiceError} UNAVAILABLE while draining, MAINTENANCE
   */
  async change<T>(work: () => Promise<T>): Promise<T> {
    const refusal = this.#draining ? stopping() : this.#options.paused();
    if (refusal === null) return this.follow(work);
    this.#options.metrics.refused(refusal.type);
    throw refusal;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Calls that a service is working on, including those that timed out. */
  get inFlight(): number {
    return this.admission.inFlight;
  }

  /** Rejects further calls, and waits at most `maxMs` for running ones to complete. */
  async drain(maxMs: number): Promise<void> {
    this.#draining = true;
    const deadlineMs = performance.now() + maxMs;
    while (this.inFlight > 0 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Stops background work. */
  stop(): void {
    this.#ticking.stop();
  }

  #take({ limits, mutates }: Route, { actor, address }: Caller): Wait {
    if (this.#draining) return 0;
    const nowMs = Date.now();
    const userId = actor === null ? null : actor.userId;
    return (
      this.#addressLimit.take(address, nowMs) ||
      (mutates ? 0 : this.#reads.waitMs({ userId, address }, nowMs)) ||
      limits.take(userId, address, nowMs)
    );
  }

  #refusal({ isPublic, pauses }: Route, { actor }: Caller, retryAfterMs: number): ServiceError | null {
    if (this.#draining) return stopping();
    if (retryAfterMs > 0) return serviceError("RATE_LIMITED", { retryAfterMs });
    if (actor === null && !isPublic) return serviceError("UNAUTHENTICATED");
    if (pauses && actor?.admin !== true) return this.#options.paused();
    return null;
  }

  async #run(route: Route, params: unknown, caller: Caller): Promise<unknown> {
    const { params: schema, shardBy, limits } = route;
    const channel = channelOf(shardBy, params);
    const isFull = channel !== undefined && this.#fullChannels.has(channel, Date.now());
    // First of all, because a rejection must be cheap.
    const kind = isFull ? null : this.admission.admit(caller.actor?.userId ?? caller.address);
    if (kind === null) throw overloaded();
    const parsed = parse(schema, params);
    const waiting = limits.takeValue(parsed, caller, Date.now());
    const retryAfterMs = typeof waiting === "number" ? waiting : await waiting;
    if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    const work = route.mutates
      ? this.#callService(route, parsed, caller, kind, channel)
      : this.#read(route, parsed, caller, kind);
    if (!limits.countsOnlyFailures) return work;
    const data = await work;
    limits.giveBackValue(parsed, caller);
    return data;
  }

  /** Runs a read when it is the caller's turn, and charges its cost. */
  async #read(route: Route, parsed: unknown, caller: Caller, kind: CallKind): Promise<unknown> {
    const reader = { userId: caller.actor?.userId ?? null, address: caller.address };
    if (!route.isHeavyRead) {
      const data = await this.#callService(route, parsed, caller, kind);
      this.#reads.charge(reader, responseBytes(data), 0, Date.now());
      return data;
    }
    if (!(await this.#reads.enter(reader))) throw overloaded();
    const beganMs = performance.now();
    let bytes = 0;
    try {
      // The budget may have been used up, and the socket may have stopped reading, during the wait.
      const retryAfterMs = this.#reads.waitMs(reader, Date.now());
      if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
      if (caller.isSlow?.() === true) throw overloaded();
      const data = await this.#callService(route, parsed, caller, kind);
      bytes = responseBytes(data);
      return data;
    } finally {
      this.#reads.charge(reader, bytes, performance.now() - beganMs, Date.now());
      this.#reads.leave(reader);
    }
  }

  async #callService(
    { name, usual }: Route,
    parsed: unknown,
    caller: Caller,
    kind: CallKind,
    channel?: string,
  ): Promise<unknown> {
    const meta = metaOf(caller);
    const end = this.admission.begin(kind, usual);
    const work = this.#options.call(name, parsed, { meta, timeout: WORK_TIMEOUT_MS }).finally(end);
    try {
      // Counts as in progress until its next step checks the deadline: otherwise new calls would be admitted while the old ones
      // still wait for the database.
      return await within(LIMITS.writeTimeoutMs, work);
    } catch (error) {
      if (channel !== undefined && error instanceof ServiceError && error.type === "OVERLOADED")
        this.#fullChannels.add(channel, Date.now());
      throw error;
    }
  }
}

const outcomeOf = (response: WireAnswer<unknown>): Outcome => (response.ok ? "ok" : response.error.type);

function metaOf({ actor, requestId, address, userAgent }: Caller): CallMeta {
  const meta: CallMeta = { actor, requestId, askedAtMs: Date.now(), deadlineMs: newDeadlineMs() };
  return userAgent === undefined ? meta : { ...meta, client: { address, userAgent } };
}

/** The channel whose queue the call would wait in. */
function channelOf(shardBy: Route["shardBy"], params: unknown): string | undefined {
  if (shardBy === undefined) return undefined;
  const channelId = ((params ?? {}) as { channelId?: unknown })[shardBy];
  return typeof channelId === "string" ? channelId : undefined;
}
