import type { ActionName, Params, Result, CallMeta } from "@fanfare/contract";
import type { ServiceBroker } from "moleculer";
import { newDeadlineMs } from "./request-scope.ts";

/** The results received in time, and the number of processes that did not respond. */
interface EachResult<R> {
  results: R[];
  unresponsive: number;
}

/** Calls an action in every process that hosts it, without an actor. Never rejects. */
export type CallEach = <N extends ActionName>(
  name: N,
  params: Params<N>,
  timeoutMs: number,
) => Promise<EachResult<Result<N>>>;

export function createCallEach(broker: ServiceBroker): CallEach {
  return async <N extends ActionName>(name: N, params: Params<N>, timeout: number) => {
    const nodeIds = broker.registry.getActionEndpoints(name)?.endpoints.map(({ id }) => id) ?? [];
    const meta: CallMeta = { actor: null, requestId: "server", deadlineMs: newDeadlineMs(timeout) };
    const settled = await Promise.allSettled(
      nodeIds.map((nodeID): Promise<Result<N>> => broker.call(name, params, { nodeID, timeout, meta })),
    );
    const results = settled.filter((one) => one.status === "fulfilled").map(({ value }) => value);
    return { results, unresponsive: settled.length - results.length };
  };
}
