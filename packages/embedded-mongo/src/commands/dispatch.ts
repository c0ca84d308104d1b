import { asCommandError, CommandError, ErrorCodes } from "../errors.ts";
import { integerOption } from "../values/numbers.ts";
import type { PlainObject } from "../values/types.ts";
import { objectField } from "./arguments.ts";
import { adminCommands } from "./admin.ts";
import { checkOptions } from "./check-options.ts";
import type { Command, CommandContext, Handler } from "./context.ts";
import { runInScope } from "../command-scope.ts";
import { evaluateVariables } from "../expression/context.ts";
import { CursorBatch } from "./cursor-store.ts";
import { everythingCommands } from "./everything.ts";
import { explain } from "./explain.ts";
import { findAndModify } from "./find-and-modify.ts";
import { indexCommands } from "./indexes.ts";
import { readCommands } from "./read.ts";
import { searchCommands } from "./search.ts";
import { writeCommands } from "./write.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...adminCommands,
    ...everythingCommands,
    ...indexCommands,
    ...readCommands,
    ...searchCommands,
    ...writeCommands,
    findAndModify,
    findandmodify: findAndModify,
    explain,
  }),
);

export type Reply = PlainObject | CursorBatch;

/** The code a failed command answers, in MongoDB's form. */
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

/** Retryable writes answer as a standalone MongoDB does; a transaction gets the code the driver shows as it is. */
function refuseTransactions(command: Command): void {
  if (command["txnNumber"] === undefined) return;
  if (command["autocommit"] === false) {
    throw new CommandError(
      "OperationNotSupportedInTransaction",
      "Transactions need a replica set; the embedded database has none: use MONGO_URL",
    );
  }
  throw new CommandError(
    "IllegalOperation",
    "Transaction numbers are only allowed on a replica set member or mongos",
  );
}

/** Runs one command. Errors become replies. */
export function dispatch(command: Command, context: CommandContext): Reply {
  const [name = ""] = Object.keys(command);
  try {
    const handler = HANDLERS.get(name);
    if (!handler) throw new CommandError("CommandNotFound", `no such command: '${name}'`);
    refuseTransactions(command);
    checkOptions(command);
    const maxTimeMs = integerOption(command["maxTimeMS"], "maxTimeMS", 0);
    if (maxTimeMs < 0) throw new CommandError("BadValue", "maxTimeMS must not be negative");
    const scope = { maxTimeMs, variables: evaluateVariables(objectField(command, "let")) };
    const reply = runInScope(scope, () => handler(command, context));
    return reply instanceof CursorBatch ? reply : { ...reply, ok: 1 };
  } catch (error) {
    return failure(error);
  }
}
