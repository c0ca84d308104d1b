import { parentPort, workerData } from "node:worker_threads";
import type { EmbeddedMongoOptions } from "./options.ts";
import { startEmbeddedMongo } from "./start.ts";

/** What the worker tells its owner, once. */
export type FromWorker =
  | { type: "ready"; uri: string }
  | { type: "failed"; name: string; message: string; dir?: string; pid?: number };

function describe(error: unknown): FromWorker {
  const { name, message, dir, pid } = error as Error & { dir?: string; pid?: number };
  return {
    type: "failed",
    name,
    message,
    ...(dir !== undefined && { dir }),
    ...(pid !== undefined && { pid }),
  };
}

const port = parentPort!;
try {
  const server = await startEmbeddedMongo(workerData as EmbeddedMongoOptions);
  port.once("message", () => {
    void server.close().finally(() => port.close());
  });
  port.postMessage({ type: "ready", uri: server.uri } satisfies FromWorker);
} catch (error) {
  port.postMessage(describe(error));
}
