import type { Context, ServiceBroker } from "moleculer";
import { MemoryCounters, type SharedCounters } from "../rate-limits/counters.ts";

type Steps = Parameters<SharedCounters["add"]>[0];

const ADD = "thread-counters.add";

/** The main thread keeps the counters shared by its threads. */
export function hostCounters(broker: ServiceBroker): SharedCounters {
  const counters = new MemoryCounters();
  broker.createService({
    name: "thread-counters",
    actions: { add: ({ params }: Context<{ steps: Steps }>) => counters.add(params.steps) },
  });
  return counters;
}

export function countersOfMainThread(broker: ServiceBroker): SharedCounters {
  return { add: (steps) => broker.call(ADD, { steps }) };
}
