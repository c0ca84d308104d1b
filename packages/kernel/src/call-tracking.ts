import type { Context, Middleware } from "moleculer";
import { Counter, type Registry } from "prom-client";

type Call = (context: Context) => Promise<unknown>;

/** Counts the calls of one process: where they were answered, and how many of others it is answering now. */
export class CallTracking {
  readonly #calls: Counter<"action" | "where">;
  #running = 0;

  constructor(metrics: Registry) {
    this.#calls = new Counter({
      name: "fanfare_calls_total",
      help: "Calls that this process made: 'local' ones it answered itself, 'remote' ones another process.",
      labelNames: ["action", "where"],
      registers: [metrics],
    });
  }

  /** How many calls of other processes are being answered. */
  get running(): number {
    return this.#running;
  }

  readonly middleware: Middleware = {
    localAction: (call: Call, { name = "" }) => {
      const local = this.#calls.labels(name, "local");
      return (context: Context) => {
        if (context.nodeID !== context.broker.nodeID) return this.#track(call, context);
        local.inc();
        return call(context);
      };
    },
    remoteAction: (call: Call, { name = "" }) => {
      const remote = this.#calls.labels(name, "remote");
      return (context: Context) => {
        remote.inc();
        return forgetWhenFailed(call, context);
      };
    },
  };

  async #track(call: Call, context: Context): Promise<unknown> {
    this.#running += 1;
    try {
      return await call(context);
    } finally {
      this.#running -= 1;
    }
  }
}

/** Moleculer remembers a call that timed out until the node that it went to is gone. */
async function forgetWhenFailed(call: Call, context: Context): Promise<unknown> {
  try {
    return await call(context);
  } catch (error) {
    context.broker.transit?.removePendingRequest(context.id);
    throw error;
  }
}
