import { Errors, type Context, type Middleware } from "moleculer";
import type { Registry } from "prom-client";
import type { CallMeta } from "@fanfare/contract";
import { toServiceError } from "./errors.ts";
import { logsCalls, type Logger } from "./logger.ts";
import { ActionFigures, countUp, exposeActions } from "./metrics/action-figures.ts";
import { currentScope, runInScope } from "./request-scope.ts";
import type { AnswerSpan, Tracing } from "./tracing/tracing.ts";

type CallContext = Context<unknown, CallMeta>;
type Call = (context: CallContext) => Promise<unknown>;

export interface CallTrackingOptions {
  metrics: Registry;
  logger: Logger;
  tracing?: Tracing | undefined;
}

/**
 * Watches the calls of one process. The time and the outcome of an answer are taken once, here, for metrics, log and trace. Also
 * counts the calls of other processes that are being answered now.
 */
export class CallTracking {
  readonly #actions = new Map<string, ActionFigures>();
  readonly #logger: Logger;
  readonly #logsCalls: boolean;
  readonly #tracing: Tracing | undefined;
  #running = 0;

  constructor({ metrics, logger, tracing }: CallTrackingOptions) {
    this.#logger = logger;
    this.#logsCalls = logsCalls(logger);
    this.#tracing = tracing;
    exposeActions(metrics, this.#actions);
  }

  /** How many calls of other processes are being answered. */
  get running(): number {
    return this.#running;
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
    if (isRemote) this.#running += 1;
    else figures.local += 1;
    figures.active += 1;
    const beganMs = performance.now();
    const ended = (outcome: string): void => {
      const durationMs = performance.now() - beganMs;
      if (isRemote) this.#running -= 1;
      figures.active -= 1;
      figures.answered(outcome, durationMs / 1000);
      traced?.end(outcome);
      if (this.#logsCalls) {
        const { requestId } = context.meta;
        this.#logger.debug({ action, outcome, durationMs, requestId }, "an action was answered");
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
