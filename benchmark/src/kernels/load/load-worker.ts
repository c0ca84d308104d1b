import { parentPort, workerData } from "node:worker_threads";
import { nowMs } from "../broadcast/clock.ts";
import { sampleThreadLoad } from "../broadcast/thread-load.ts";
import { LatencyHistogram } from "./latency-histogram.ts";
import type {
  FromLoadThread,
  LoadPhase,
  LoadThreadSetup,
  ThreadReport,
  ToLoadThread,
} from "./load-messages.ts";
import { createLoop } from "./loops.ts";
import type { OperationModule } from "./operation.ts";
import { Requests } from "./requests.ts";

const TICK_MS = 1;

const { module, operation: setup, worker, workers } = workerData as LoadThreadSetup;
const port = parentPort!;
const say = (message: FromLoadThread) => port.postMessage(message);

const operation = ((await import(module)) as OperationModule<unknown>).createOperation({
  setup,
  worker,
  workers,
});
let isStopped = false;

function run({ loop, isWarmUp, senders, memory, timeoutMs, startMs }: LoadPhase): Promise<ThreadReport> {
  const latencies = new LatencyHistogram();
  const lateness = new LatencyHistogram();
  const requests = new Requests({ memory, operation, isWarmUp, timeoutMs, now: nowMs, latencies, lateness });
  const share = { worker, workers, senders };
  const driver = createLoop(loop, share, requests, { startMs, now: nowMs });
  const before = sampleThreadLoad();
  const report = (): ThreadReport => {
    const after = sampleThreadLoad();
    return {
      latencies: latencies.encode(),
      lateness: lateness.encode(),
      errors: requests.errors,
      lastAnswerMs: requests.lastAnswerMs,
      cpuMs: after.cpuMs - before.cpuMs,
      waitedMs: after.waitMs === null || before.waitMs === null ? null : after.waitMs - before.waitMs,
      durationMs: after.atMs - before.atMs,
    };
  };
  return new Promise((resolve) => {
    const tick = () => {
      const isDone = driver.isOver && requests.inFlight === 0;
      if (isStopped || isDone) {
        resolve(report());
        return;
      }
      driver.advance(nowMs());
      requests.expire();
      setTimeout(tick, TICK_MS);
    };
    setTimeout(tick, Math.max(0, startMs - nowMs()));
  });
}

async function obey(order: ToLoadThread): Promise<void> {
  switch (order.type) {
    case "prepare":
      await operation.prepare();
      say({ type: "prepared" });
      break;
    case "run":
      say({ type: "ran", report: await run(order.phase) });
      break;
    case "stop":
      isStopped = true;
      break;
    case "report":
      say({ type: "reported", arrivals: operation.report?.() });
      break;
    case "close":
      await operation.close();
      say({ type: "closed", errors: operation.errors });
      break;
    default:
  }
}

port.on("message", (order: ToLoadThread) => {
  obey(order).catch((error: Error) => say({ type: "failed", message: error.message }));
});
