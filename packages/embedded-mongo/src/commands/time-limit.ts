import { CommandError } from "../errors.ts";

/** How many documents or entries are read between two looks at the clock. */
const CHECK_EVERY = 128;

let endMs = Number.POSITIVE_INFINITY;
let untilCheck = CHECK_EVERY;

/**
 * Runs a command with its `maxTimeMS`; 0 is no limit. Commands run one at a time, so there is one limit at a time.
 * @throws CommandError MaxTimeMSExpired, from the reading of a document or an entry
 */
export function withTimeLimit<T>(maxTimeMs: number, run: () => T): T {
  endMs = maxTimeMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + maxTimeMs;
  try {
    return run();
  } finally {
    endMs = Number.POSITIVE_INFINITY;
  }
}

/** To be called for each document or entry that is read. */
export function checkTimeLimit(): void {
  if (--untilCheck > 0) return;
  untilCheck = CHECK_EVERY;
  if (performance.now() > endMs) throw new CommandError("MaxTimeMSExpired", "operation exceeded time limit");
}
