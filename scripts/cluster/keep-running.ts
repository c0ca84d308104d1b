import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess } from "@fanfare/testing";
import { Restarts } from "../restarts.ts";

/** Restarts a process whenever it ends, until `stopping` or until it has failed too often. @param say prints a line */
export async function keepRunning(
  server: ServerProcess,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const restarts = new Restarts();
  let startedMs = performance.now();
  for (;;) {
    const { code, signal } = await server.exit();
    if (stopping.aborted) return;
    const waitMs = restarts.next(performance.now() - startedMs);
    const ended = `${server.name} has ended (${signal ?? `exit code ${code}`})`;
    if (waitMs === null) {
      say(`${ended} right after each of its starts and is not started again. Its log: ${server.logFile}`);
      return;
    }
    say(`${ended} and is started again.`);
    await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    startedMs = performance.now();
    try {
      await server.start();
    } catch (error) {
      if (!stopping.aborted) say((error as Error).message);
      continue;
    }
    if (stopping.aborted) return;
    say(`${server.name} is back as process ${server.pid}.`);
  }
}
