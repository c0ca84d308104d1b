import { CommandError, ErrorCodes } from "../errors.ts";
import type { PlainObject } from "../values/types.ts";
import { adminCommands } from "./admin.ts";
import type { Command, CommandContext, Handler } from "./context.ts";
import { CursorBatch } from "./cursor-store.ts";
import { explain } from "./explain.ts";
import { findAndModify } from "./find-and-modify.ts";
import { indexCommands } from "./indexes.ts";
import { readCommands } from "./read.ts";
import { writeCommands } from "./write.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...adminCommands,
    ...indexCommands,
    ...readCommands,
    ...writeCommands,
    findAndModify,
    findandmodify: findAndModify,
    explain,
  }),
);

export type Reply = PlainObject | CursorBatch;

/** The code a failed command answers, in MongoDB's form. */
export function failure(error: unknown): PlainObject {
  const known = error instanceof CommandError ? error : undefined;
  return {
    ok: 0,
    errmsg: error instanceof Error ? error.message : String(error),
    code: known?.code ?? ErrorCodes.InternalError,
    codeName: known?.codeName ?? "InternalError",
    ...known?.details,
  };
}

/** Runs one command. Errors become replies; only a failing journal is thrown. */
export function dispatch(command: Command, context: CommandContext): Reply {
  const [name = ""] = Object.keys(command);
  try {
    const handler = HANDLERS.get(name);
    if (!handler) throw new CommandError("CommandNotFound", `no such command: '${name}'`);
    if (command["txnNumber"] !== undefined || command["startTransaction"] !== undefined) {
      throw new CommandError(
        "IllegalOperation",
        "Transaction numbers are only allowed on a replica set member or mongos",
      );
    }
    const reply = handler(command, context);
    return reply instanceof CursorBatch ? reply : { ...reply, ok: 1 };
  } catch (error) {
    return failure(error);
  }
}
