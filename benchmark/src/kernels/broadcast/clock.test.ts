import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { nowMs } from "./clock.ts";

test("two threads read the same clock", async () => {
  const before = nowMs();
  const worker = new Worker(
    `import { parentPort } from "node:worker_threads";
     const { nowMs } = await import(${JSON.stringify(new URL("./clock.ts", import.meta.url).href)});
     parentPort.postMessage(nowMs());`,
    { eval: true },
  );
  const [inWorker] = (await once(worker, "message")) as [number];
  const after = nowMs();
  await worker.terminate();
  expect(inWorker).toBeGreaterThan(before);
  expect(inWorker).toBeLessThan(after);
});
