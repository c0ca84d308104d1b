import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { PlainObject } from "../values/types.ts";

/** MongoDB's bound on operations in one write command. */
const MAX_WRITE_BATCH = 100_000;

/** Errors that end the command, not one statement. */
const INTERRUPTIONS = new Set([
  "MaxTimeMSExpired",
  "Interrupted",
  "OperationNotSupportedInTransaction",
  "TransactionTooLarge",
  "WriteConflict",
]);

/**
 * Runs the statements of a write command one after the other; an error becomes a write error of that statement and,
 * when ordered, ends the command. Errors that are not about the statement are thrown on.
 */
export function* runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => Task<void> | void,
): Task<PlainObject> {
  if (statements.length === 0 || statements.length > MAX_WRITE_BATCH) {
    throw new CommandError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${statements.length} operations.`,
    );
  }
  const writeErrors: PlainObject[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      const task = run(statement, index);
      if (task) yield* task;
    } catch (error) {
      if (!(error instanceof CommandError) || INTERRUPTIONS.has(error.codeName)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}
