import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess } from "@fanfare/testing";

/** So that one which dies at every start does not keep the machine busy. */
const RESTART_AFTER_MS = 500;
const RESTART_AGAIN_AFTER_MS = 5000;

/** Starts a process again whenever it ends, until `stopping`. @param say is told what a person wants to know of it */
export async function keepRunning(
  server: ServerProcess,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  for (;;) {
    const { code, signal } = await server.exit();
    if (stopping.aborted) return;
    say(`${server.name} has ended (${signal ?? `exit code ${code}`}) and is started again.`);
    await startAgain(server, stopping, say);
    if (stopping.aborted) return;
    say(`${server.name} is back as process ${server.pid}.`);
  }
}

async function startAgain(
  server: ServerProcess,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  for (let waitMs = RESTART_AFTER_MS; !stopping.aborted; waitMs = RESTART_AGAIN_AFTER_MS) {
    await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    try {
      await server.start();
      return;
    } catch (error) {
      if (!stopping.aborted) say((error as Error).message);
    }
  }
}
