import type { Context, Middleware } from "moleculer";
import { Counter, type Registry } from "prom-client";

type Call = (context: Context) => Promise<unknown>;

/** Calls of one action that this process made. */
interface Counts {
  local: number;
  remote: number;
}

/** Counts the calls of one process: where they were answered, and how many of others it is answering now. */
export class CallTracking {
  /** By action. Bare numbers: a counter of prom-client would cost a local call a tenth of its rate. */
  readonly #counts = new Map<string, Counts>();
  #running = 0;

  constructor(metrics: Registry) {
    const counts = this.#counts;
    const calls = new Counter({
      name: "fanfare_calls_total",
      help: "Calls that this process made: 'local' ones it answered itself, 'remote' ones another process.",
      labelNames: ["action", "where"],
      registers: [],
      collect() {
        this.reset();
        for (const [action, { local, remote }] of counts) {
          if (local > 0) this.inc({ action, where: "local" }, local);
          if (remote > 0) this.inc({ action, where: "remote" }, remote);
        }
      },
    });
    metrics.registerMetric(calls);
  }

  /** How many calls of other processes are being answered. */
  get running(): number {
    return this.#running;
  }

  readonly middleware: Middleware = {
    localAction: (call: Call, { name = "" }) => {
      const counts = this.#of(name);
      return (context: Context) => {
        if (context.nodeID !== context.broker.nodeID) return this.#track(call, context);
        counts.local += 1;
        return call(context);
      };
    },
    remoteAction: (call: Call, { name = "" }) => {
      const counts = this.#of(name);
      return (context: Context) => {
        counts.remote += 1;
        return forgetWhenFailed(call, context);
      };
    },
  };

  #of(action: string): Counts {
    const counts = this.#counts.get(action) ?? { local: 0, remote: 0 };
    this.#counts.set(action, counts);
    return counts;
  }

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
