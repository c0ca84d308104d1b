import { asCommandError, CommandError, ErrorCodes } from "../errors.ts";
import { integerOption } from "../values/numbers.ts";
import type { PlainObject } from "../values/types.ts";
import { objectField, type Command, type CommandContext, type Handler, type Reply } from "./context.ts";
import { adminCommands } from "./admin.ts";
import { checkOptions } from "./check-options.ts";
import { CommandScope, type Task, Operation } from "../command-scope.ts";
import { CursorBatch } from "./cursor-store.ts";
import { evaluateVariables } from "../expression/context.ts";
import { everythingCommands, readCommands } from "./read.ts";
import { explain } from "./explain.ts";
import { findAndModify, writeCommands } from "./write.ts";
import { indexCommands } from "./indexes.ts";
import { searchCommands } from "./search.ts";
import { sessionCommands } from "./sessions.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...adminCommands,
    ...everythingCommands,
    ...indexCommands,
    ...readCommands,
    ...searchCommands,
    ...sessionCommands,
    ...writeCommands,
    findAndModify,
    findandmodify: findAndModify,
    explain,
  }),
);

/** The reply of a failed command in MongoDB's format. */
export function failure(error: unknown): PlainObject {
  const known = asCommandError(error);
  return {
    ok: 0,
    errmsg: known?.message ?? (error instanceof Error ? error.message : String(error)),
    code: known?.code ?? ErrorCodes.InternalError,
    codeName: known?.codeName ?? "InternalError",
    ...known?.details,
  };
}

/** Rejects retryable writes like a standalone MongoDB. */
function rejectTransactionNumber(): never {
  throw new CommandError(
    "IllegalOperation",
    "Transaction numbers are only allowed on a replica set member or mongos",
  );
}

const isTask = (result: Reply | Task<Reply>): result is Task<Reply> => Symbol.iterator in result;

const okay = (reply: Reply): Reply => (reply instanceof CursorBatch ? reply : { ...reply, ok: 1 });

/**
 * Runs a command. Errors become replies.
 * @param untilMs when a long command must pause
 * @returns the operation of a paused command, for `resume`
 */
export function dispatch(
  command: Command,
  context: CommandContext,
  untilMs = Number.POSITIVE_INFINITY,
): Reply | Operation<Reply> {
  const [name = ""] = Object.keys(command);
  try {
    const handler = HANDLERS.get(name);
    if (!handler) throw new CommandError("CommandNotFound", `no such command: '${name}'`);
    const isInTransaction = command["autocommit"] !== undefined;
    if (!isInTransaction && command["txnNumber"] !== undefined) rejectTransactionNumber();
    checkOptions(command);
    const maxTimeMs = integerOption(command["maxTimeMS"], "maxTimeMS", 0);
    if (maxTimeMs < 0) throw new CommandError("BadValue", "maxTimeMS must not be negative");
    const scope = new CommandScope(maxTimeMs, evaluateVariables(objectField(command, "let")));
    return scope.run(untilMs, () => {
      const result = isInTransaction
        ? context.sessions.run(command, context, handler)
        : handler(command, context);
      if (!isTask(result)) return okay(result);
      const { done, value } = result.next();
      return done ? okay(value) : new Operation(result, scope);
    });
  } catch (error) {
    return failure(error);
  }
}

/** Continues a paused command. */
export function resume(operation: Operation<Reply>, untilMs: number): Reply | Operation<Reply> {
  try {
    const reply = operation.step(untilMs);
    return reply === undefined ? operation : okay(reply);
  } catch (error) {
    return failure(error);
  }
}
