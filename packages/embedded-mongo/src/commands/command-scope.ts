import { CommandError } from "../errors.ts";
import { toPlain } from "../values/plain.ts";
import type { PlainObject } from "../values/types.ts";

/** How many documents or entries are read between two looks at the clock. */
const CHECK_EVERY = 128;

const NO_VARIABLES: PlainObject = {};

let endMs = Number.POSITIVE_INFINITY;
let untilCheck = CHECK_EVERY;
let variables = NO_VARIABLES;

export interface CommandScope {
  /** `maxTimeMS`; 0 is no limit. */
  readonly maxTimeMs: number;
  /** `let`. */
  readonly variables: PlainObject;
}

/**
 * Runs a command with what holds for all that it does. Commands run one at a time, so there is one scope at a time.
 * @throws CommandError MaxTimeMSExpired, from the reading of a document or an entry
 */
export function runInScope<T>(scope: CommandScope, run: () => T): T {
  endMs = scope.maxTimeMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + scope.maxTimeMs;
  variables = toPlain(scope.variables) as PlainObject;
  try {
    return run();
  } finally {
    endMs = Number.POSITIVE_INFINITY;
    variables = NO_VARIABLES;
  }
}

/** To be called for each document or entry that is read. */
export function checkTimeLimit(): void {
  if (--untilCheck > 0) return;
  untilCheck = CHECK_EVERY;
  if (performance.now() > endMs) throw new CommandError("MaxTimeMSExpired", "operation exceeded time limit");
}

/** What `$$name` stands for in expressions of this command. */
export const commandVariables = (): PlainObject => variables;
