import { readFile } from "node:fs/promises";
import type { ServerProcess } from "@fanfare/testing";

/** What the program logs for an error that was not caught: always a bug. */
const UNCAUGHT = /uncaught exception|unhandled rejection|UnhandledPromiseRejection|panic:/;

export async function uncaughtErrors(servers: readonly ServerProcess[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, logFile } of servers) {
    const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => UNCAUGHT.test(line));
    if (lines.length > 0)
      found.push(`${name} logged ${lines.length} uncaught errors; the first: ${lines[0]}`);
  }
  return found;
}
