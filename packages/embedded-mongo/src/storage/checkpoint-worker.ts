import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const database = new DatabaseSync(workerData as string);

/** The number of checkpointed pages after the command. */
const doneOf = (mode: "NOOP" | "PASSIVE"): number =>
  Number(database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()?.["checkpointed"]);

parentPort!.on("message", (request: "checkpoint" | "stop") => {
  if (request === "stop") {
    database.close();
    parentPort!.close();
    return;
  }
  const before = doneOf("NOOP");
  const hasProgressed = doneOf("PASSIVE") > before;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  parentPort!.postMessage(hasProgressed);
});
