import { Errors, type Context, type Middleware } from "moleculer";
import type { Registry } from "prom-client";
import { ActionFigures, countUp, exposeActions } from "./metrics/action-figures.ts";

type Call = (context: Context) => Promise<unknown>;

/** Counts the calls of one process: where they were answered, how long that took, and how many of others it is answering now. */
export class CallTracking {
  readonly #actions = new Map<string, ActionFigures>();
  #running = 0;

  constructor(metrics: Registry) {
    exposeActions(metrics, this.#actions);
  }

  /** How many calls of other processes are being answered. */
  get running(): number {
    return this.#running;
  }

  readonly middleware: Middleware = {
    localAction: (call: Call, { name = "" }) => {
      const figures = this.#of(name);
      return (context: Context) => {
        if (context.nodeID !== context.broker.nodeID) return this.#track(call, context, figures);
        figures.local += 1;
        return figures.run(call, context);
      };
    },
    remoteAction: (call: Call, { name = "" }) => {
      const figures = this.#of(name);
      return (context: Context) => {
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

  async #track(call: Call, context: Context, figures: ActionFigures): Promise<unknown> {
    this.#running += 1;
    try {
      return await figures.run(call, context);
    } finally {
      this.#running -= 1;
    }
  }
}

async function watchRemote(call: Call, context: Context, figures: ActionFigures): Promise<unknown> {
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
