import v8 from "node:v8";

/**
 * For a process that only runs the server. The main thread waits for the threads that collect young objects with it, tens of
 * milliseconds if all cores are busy; alone it needs a few.
 */
export function tuneProcess(): void {
  v8.setFlagsFromString("--no-parallel-scavenge");
}
