import { type Context, Errors, type Middleware } from "moleculer";
import type { MetricValue, Registry } from "prom-client";
import type { CallMeta } from "@fanfare/contract";
import { toServiceError } from "./errors.ts";
import { type Logger, logsCalls } from "./logger.ts";
import { currentScope, runInScope } from "./request-scope.ts";
import type { AnswerSpan, Tracing } from "./tracing/tracing.ts";

type CallContext = Context<unknown, CallMeta>;
type Call = (context: CallContext) => Promise<unknown>;

interface CallTrackingOptions {
  metrics: Registry;
  logger: Logger;
  tracing?: Tracing | undefined;
}

/**
 * Tracks the calls of one process: measures duration and outcome once for metrics, log and traces.
 */
export class CallTracking {
  readonly #actions = new Map<string, ActionStats>();
  readonly #logger: Logger;
  readonly #logsCalls: boolean;
  readonly #tracing: Tracing | undefined;

  constructor({ metrics, logger, tracing }: CallTrackingOptions) {
    this.#logger = logger;
    this.#logsCalls = logsCalls(logger);
    this.#tracing = tracing;
    exposeActions(metrics, this.#actions);
  }

  /** The number of calls being handled. */
  get running(): number {
    return this.#actions.values().reduce((sum, { active }) => sum + active, 0);
  }

  readonly middleware: Middleware = {
    localAction: (call: Call, { name = "" }) => {
      const stats = this.#of(name);
      return (context: CallContext) => {
        const traced = this.#tracing?.answerSpan(name, context);
        if (traced === undefined) return this.#answer(name, stats, call, context);
        const { span } = traced;
        const { requestId } = context.meta;
        const action = currentScope()?.action ?? name;
        return runInScope({ requestId, action, span, startedAtMs: performance.now() }, () =>
          this.#answer(name, stats, call, context, traced),
        );
      };
    },
    remoteAction: (call: Call, { name = "" }) => {
      const stats = this.#of(name);
      return (context: CallContext) => {
        stats.remote += 1;
        return watchRemote(call, context, stats);
      };
    },
  };

  #of(action: string): ActionStats {
    const stats = this.#actions.get(action) ?? new ActionStats();
    this.#actions.set(action, stats);
    return stats;
  }

  #answer(
    action: string,
    stats: ActionStats,
    call: Call,
    context: CallContext,
    traced?: AnswerSpan,
  ): Promise<unknown> {
    const isRemote = context.nodeID !== context.broker.nodeID;
    if (!isRemote) stats.local += 1;
    stats.active += 1;
    const beganMs = performance.now();
    const ended = (outcome: string): void => {
      const durationMs = performance.now() - beganMs;
      stats.active -= 1;
      stats.answered(outcome, durationMs / 1000);
      traced?.end(outcome);
      if (this.#logsCalls) {
        const { requestId } = context.meta;
        this.#logger.debug({ action, outcome, durationMs, requestId }, "action answered");
      }
    };
    return call(context).then(
      (response) => {
        ended("ok");
        return response;
      },
      (error: unknown) => {
        ended(toServiceError(error).type);
        throw error;
      },
    );
  }
}

async function watchRemote(call: Call, context: CallContext, stats: ActionStats): Promise<unknown> {
  try {
    return await call(context);
  } catch (error) {
    // Otherwise Moleculer keeps a timed-out request until the other node disconnects.
    context.broker.transit?.removePendingRequest(context.id);
    if (error instanceof Errors.RequestTimeoutError) countUp(stats.unanswered, "timeout");
    else if (error instanceof Errors.RequestRejectedError || error instanceof Errors.ServiceNotFoundError)
      countUp(stats.unanswered, "unreachable");
    throw error;
  }
}

type Labels = Record<string, string>;
type Values = (MetricValue<string> & { metricName?: string })[];

/** Histogram buckets in seconds. Few, because every action has its own series. */
const SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The call statistics of one action in this process. Plain numbers, because prom-client would reduce the local call rate by a third. */
class ActionStats {
  /** Calls made and handled by this process. */
  local = 0;
  /** Calls made by this process and handled by another one. */
  remote = 0;
  /** Calls being handled by this process. */
  active = 0;
  readonly errors = new Map<string, number>();
  readonly unanswered = new Map<string, number>();
  /** Number of calls per bucket of `SECONDS`, not cumulative. */
  readonly #counts = Array.from({ length: SECONDS.length + 1 }, () => 0);
  #seconds = 0;

  /** @param outcome "ok" or the code of the error */
  answered(outcome: string, seconds: number): void {
    if (outcome !== "ok") countUp(this.errors, outcome);
    this.#seconds += seconds;
    let place = 0;
    while (place < SECONDS.length && seconds > SECONDS[place]!) place += 1;
    this.#counts[place]! += 1;
  }

  /** The values of a Prometheus histogram. */
  durations(name: string, labels: Labels): Values {
    let count = 0;
    const buckets = this.#counts.map((more, place) => {
      count += more;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: SECONDS[place] ?? "+Inf" },
        value: count,
      };
    });
    if (count === 0) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#seconds },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

interface Exposed {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  values: (stats: ActionStats, action: string) => Values;
}

const value = (labels: Labels, number: number): Values[number] => ({ labels, value: number });
const each = (counts: ReadonlyMap<string, number>, action: string, label: string): Values =>
  [...counts].map(([key, count]) => value({ action, [label]: key }, count));

const EXPOSED: readonly Exposed[] = [
  {
    name: "fanfare_calls_total",
    help: "Calls made by this process: 'local' if answered in this process, otherwise 'remote'.",
    type: "counter",
    values: ({ local, remote }, action) => [
      ...(local > 0 ? [value({ action, where: "local" }, local)] : []),
      ...(remote > 0 ? [value({ action, where: "remote" }, remote)] : []),
    ],
  },
  {
    name: "fanfare_calls_unanswered_total",
    help: "Calls to other processes that were not answered: 'timeout' or 'unreachable'.",
    type: "counter",
    values: ({ unanswered }, action) => each(unanswered, action, "reason"),
  },
  {
    name: "fanfare_action_duration_seconds",
    help: "Duration of calls answered by this process, in seconds.",
    type: "histogram",
    values: (stats, action) => stats.durations("fanfare_action_duration_seconds", { action }),
  },
  {
    name: "fanfare_action_errors_total",
    help: "Calls that this process answered with an error, by error code.",
    type: "counter",
    values: ({ errors }, action) => each(errors, action, "code"),
  },
  {
    name: "fanfare_actions_active",
    help: "Calls in progress in this process, by action.",
    type: "gauge",
    values: (stats, action) =>
      stats.durations("", {}).length > 0 || stats.active > 0 ? [value({ action }, stats.active)] : [],
  },
];

/** Exports the statistics of all actions to `registry`. */
function exposeActions(registry: Registry, actions: ReadonlyMap<string, ActionStats>): void {
  for (const { name, help, type, values } of EXPOSED) {
    const metric = {
      name,
      help,
      type,
      aggregator: "sum",
      get: async () => ({
        name,
        help,
        type,
        aggregator: "sum",
        values: [...actions].flatMap(([action, stats]) => values(stats, action)),
      }),
    };
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }
}
