import { parentPort, workerData } from "node:worker_threads";
import type { EmbeddedMongoOptions } from "../options.ts";
import { startEmbeddedMongo } from "../start.ts";
import { describeFailure, type FromServer } from "./messages.ts";

const port = parentPort!;
try {
  const onProgress = (message: string) =>
    port.postMessage({ type: "progress", message } satisfies FromServer);
  const server = await startEmbeddedMongo({ ...(workerData as EmbeddedMongoOptions), onProgress });
  port.once("message", () => {
    void server.close().finally(() => port.close());
  });
  port.postMessage({ type: "ready", uri: server.uri } satisfies FromServer);
} catch (error) {
  port.postMessage(describeFailure(error));
}
