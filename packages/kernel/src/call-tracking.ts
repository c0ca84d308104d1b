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
 * Watches the calls of one process. The time and the outcome of an answer are taken once, here, for metrics, log and trace.
 */
export class CallTracking {
  readonly #actions = new Map<string, ActionFigures>();
  readonly #logger: Logger;
  readonly #logsCalls: boolean;
  readonly #tracing: Tracing | undefined;

  constructor({ metrics, logger, tracing }: CallTrackingOptions) {
    this.#logger = logger;
    this.#logsCalls = logsCalls(logger);
    this.#tracing = tracing;
    exposeActions(metrics, this.#actions);
  }

  /** How many calls are being answered. */
  get running(): number {
    return this.#actions.values().reduce((sum, { active }) => sum + active, 0);
  }

  readonly middleware: Middleware = {
    localAction: (call: Call, { name = "" }) => {
      const figures = this.#of(name);
      return (context: CallContext) => {
        const traced = this.#tracing?.answerSpan(name, context);
        if (traced === undefined) return this.#answer(name, figures, call, context);
        const { span } = traced;
        const { requestId } = context.meta;
        const action = currentScope()?.action ?? name;
        return runInScope({ requestId, action, span, beganAtMs: performance.now() }, () =>
          this.#answer(name, figures, call, context, traced),
        );
      };
    },
    remoteAction: (call: Call, { name = "" }) => {
      const figures = this.#of(name);
      return (context: CallContext) => {
        figures.remote += 1;
        return watchRemote(call, context, figures);
      };
    },
  };

  #of(action: string): ActionFigures {
    const figures = this.#actions.get(action) ?? new ActionFigures();
    this.#actions.set(action, figures);
    return figures;
  }

  #answer(
    action: string,
    figures: ActionFigures,
    call: Call,
    context: CallContext,
    traced?: AnswerSpan,
  ): Promise<unknown> {
    const isRemote = context.nodeID !== context.broker.nodeID;
    if (!isRemote) figures.local += 1;
    figures.active += 1;
    const beganMs = performance.now();
    const ended = (outcome: string): void => {
      const durationMs = performance.now() - beganMs;
      figures.active -= 1;
      figures.answered(outcome, durationMs / 1000);
      traced?.end(outcome);
      if (this.#logsCalls) {
        const { requestId } = context.meta;
        this.#logger.debug({ action, outcome, durationMs, requestId }, "action answered");
      }
    };
    return call(context).then(
      (answer) => {
        ended("ok");
        return answer;
      },
      (error: unknown) => {
        ended(toServiceError(error).type);
        throw error;
      },
    );
  }
}

async function watchRemote(call: Call, context: CallContext, figures: ActionFigures): Promise<unknown> {
  try {
    return await call(context);
  } catch (error) {
    // Moleculer remembers a call that timed out until the node that it went to is gone.
    context.broker.transit?.removePendingRequest(context.id);
    if (error instanceof Errors.RequestTimeoutError) countUp(figures.unanswered, "timeout");
    else if (error instanceof Errors.RequestRejectedError || error instanceof Errors.ServiceNotFoundError)
      countUp(figures.unanswered, "unreachable");
    throw error;
  }
}

type Labels = Record<string, string>;
type Values = (MetricValue<string> & { metricName?: string })[];

/** Upper bounds in seconds. Few, because there are as many series for each action. */
const SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What became of the calls of one action in this process. Bare numbers: metrics of prom-client would cost a local call a third of its rate. */
class ActionFigures {
  /** Calls that this process made and answered itself. */
  local = 0;
  /** Calls that this process made and another one answered. */
  remote = 0;
  /** Calls that this process is answering. */
  active = 0;
  readonly errors = new Map<string, number>();
  readonly unanswered = new Map<string, number>();
  /** How many took as long as the bound of the same place at most, and longer than the one before. */
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

  /** The values of a histogram as Prometheus writes one. */
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
  values: (figures: ActionFigures, action: string) => Values;
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
    values: (figures, action) => figures.durations("fanfare_action_duration_seconds", { action }),
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
    values: (figures, action) =>
      figures.durations("", {}).length > 0 || figures.active > 0 ? [value({ action }, figures.active)] : [],
  },
];

/** Tells the figures of all actions in `registry`. */
function exposeActions(registry: Registry, actions: ReadonlyMap<string, ActionFigures>): void {
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
        values: [...actions].flatMap(([action, figures]) => values(figures, action)),
      }),
    };
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }
}
