import { workerData } from "node:worker_threads";
import { emit, serveThread } from "../../receivers/thread.ts";
import { nowMs } from "../broadcast/clock.ts";
import { sampleThreadLoad } from "../broadcast/resource-use.ts";
import { Requests } from "./loops.ts";
import type { Operation, OperationContext } from "./operation.ts";
import type { ErrorCode, Phase, RequestThreadSetup } from "./request-threads.ts";

const TICK_MS = 1;

/** The kinds of requests. A thread loads only its own. */
const OPERATIONS = {
  http: () => import("./http-operation.ts"),
  login: () => import("./login-operation.ts"),
  mix: () => import("./mix-operation.ts"),
  send: () => import("./send-operation.ts"),
};
type Modules = { [Name in keyof typeof OPERATIONS]: Awaited<ReturnType<(typeof OPERATIONS)[Name]>> };
/** What each kind needs, by its name. */
export type OperationSetups = {
  [Name in keyof Modules]: Parameters<Modules[Name]["createOperation"]>[0]["setup"];
};

const { kind, codes, ...context } = workerData as RequestThreadSetup;
const { createOperation } = await OPERATIONS[kind]();
const operation = (createOperation as (context: OperationContext<unknown>) => Operation)(context);
const knownCodes = new Map<string, number>();
/** Of the current phase. */
let requests: Requests | undefined;

function codeOf(error: string): number {
  const known = knownCodes.get(error);
  if (known !== undefined) return known;
  const code = Atomics.add(codes, 0, 1) + 1;
  knownCodes.set(error, code);
  emit({ code, error } satisfies ErrorCode);
  return code;
}

/** @returns how many requests were made, see `Requests.end` */
function run(phase: Phase): Promise<number> {
  const own = new Requests(phase, { ...context, operation, now: nowMs, codeOf });
  requests = own;
  return new Promise((resolve) => {
    const tick = () => {
      if (operation.hasEnded) own.stop();
      if (own.isOver) return resolve(own.end);
      own.advance(nowMs());
      setTimeout(tick, TICK_MS);
    };
    setTimeout(tick, Math.max(0, phase.startMs - nowMs()));
  });
}

const orders = {
  prepare: () => operation.prepare(),
  run,
  /** Ends the phase; what is in flight can still be answered. */
  stop: () => requests?.stop(),
  renew: (tokens: readonly string[]) => operation.renew?.(tokens),
  sample: sampleThreadLoad,
  dropped: () => operation.dropped,
  /** @returns errors without a request, by code */
  close() {
    operation.close();
    return operation.errors;
  },
};
export type RequestOrders = typeof orders;
serveThread(orders);
