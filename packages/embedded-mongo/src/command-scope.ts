import { CommandError } from "./errors.ts";
import type { PlainObject } from "./values/types.ts";

/** Documents or entries read between two checks of the clock. */
const CHECK_EVERY = 128;

const NO_VARIABLES: PlainObject = {};

let endMs = Number.POSITIVE_INFINITY;
let untilCheck = CHECK_EVERY;
let variables = NO_VARIABLES;

export interface CommandScope {
  /** `maxTimeMS`; 0 is no limit. */
  readonly maxTimeMs: number;
  /** `let`, evaluated. */
  readonly variables: PlainObject;
}

/**
 * Runs a command in its scope. Commands run one at a time, so there is only one scope at a time.
 * @throws CommandError MaxTimeMSExpired while reading a document or an index entry
 */
export function runInScope<T>(scope: CommandScope, run: () => T): T {
  endMs = scope.maxTimeMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + scope.maxTimeMs;
  ({ variables } = scope);
  try {
    return run();
  } finally {
    endMs = Number.POSITIVE_INFINITY;
    variables = NO_VARIABLES;
  }
}

/** Call for each document or index entry that is read. */
export function checkTimeLimit(): void {
  if (--untilCheck > 0) return;
  untilCheck = CHECK_EVERY;
  if (performance.now() > endMs) throw new CommandError("MaxTimeMSExpired", "operation exceeded time limit");
}

/** The variables (`$$name`) for expressions of the current command. */
export const commandVariables = (): PlainObject => variables;
