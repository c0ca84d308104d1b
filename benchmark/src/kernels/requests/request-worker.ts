import { parentPort, workerData } from "node:worker_threads";
import { nowMs } from "../broadcast/clock.ts";
import { sampleThreadLoad } from "../broadcast/thread-load.ts";
import { createLoop, type Loop } from "./loops.ts";
import type { OperationModule } from "./operation.ts";
import type { FromRequestThread, Phase, RequestThreadSetup, ToRequestThread } from "./request-threads.ts";
import { Requests } from "./requests.ts";

const TICK_MS = 1;

const { module, operation: setup, worker, workers, codes } = workerData as RequestThreadSetup;
const port = parentPort!;
const say = (message: FromRequestThread) => port.postMessage(message);

const operation = ((await import(module)) as OperationModule<unknown>).createOperation({
  setup,
  worker,
  workers,
});
const knownCodes = new Map<string, number>();
let loop: Loop | undefined;
let isStopped = false;

function codeOf(error: string): number {
  const known = knownCodes.get(error);
  if (known !== undefined) return known;
  const code = Atomics.add(codes, 0, 1) + 1;
  knownCodes.set(error, code);
  say({ type: "code", code, error });
  return code;
}

/** @returns how many requests were made, see `Requests.end` */
function run(phase: Phase): Promise<number> {
  const requests = new Requests({ ...phase, operation, now: nowMs, codeOf });
  const share = { worker, workers, senders: phase.senders };
  const clock = { startMs: phase.startMs, now: nowMs };
  const driver = createLoop(phase.loop, share, (...request) => requests.make(...request), clock);
  loop = driver;
  isStopped = false;
  return new Promise((resolve) => {
    const tick = () => {
      const isDone = driver.isOver && requests.inFlight === 0;
      if (isStopped || isDone || operation.hasEnded) {
        driver.stop();
        resolve(requests.end);
        return;
      }
      driver.advance(nowMs());
      requests.expire();
      setTimeout(tick, TICK_MS);
    };
    setTimeout(tick, Math.max(0, phase.startMs - nowMs()));
  });
}

async function obey(order: ToRequestThread): Promise<void> {
  switch (order.type) {
    case "prepare":
      await operation.prepare();
      say({ type: "prepared" });
      break;
    case "run":
      say({ type: "ran", end: await run(order.phase) });
      break;
    case "stop":
      isStopped = true;
      loop?.stop();
      break;
    case "sample":
      say({ type: "sampled", load: sampleThreadLoad() });
      break;
    case "close":
      operation.close();
      say({ type: "closed", errors: operation.errors });
      break;
    default:
  }
}

port.on("message", (order: ToRequestThread) => {
  obey(order).catch((error: Error) => say({ type: "failed", message: error.message }));
});
