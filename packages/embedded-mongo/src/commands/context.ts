import type { Task } from "../command-scope.ts";
import type { CommandError } from "../errors.ts";
import type { StorageStatus } from "../storage/store.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Transaction } from "../storage/transactions.ts";
import type { PlainObject } from "../values/types.ts";
import type { CursorBatch, CursorStore } from "./cursor-store.ts";
import type { Sessions } from "./sessions.ts";

export interface ServerStatus {
  readonly startedAt: number;
  connections(): number;
  storage(): StorageStatus;
  /** The commands that are paused. */
  operations(): { id: number; name: string; startedMs: number }[];
  /** Interrupts a paused command with an error. */
  interrupt(id: number, error: CommandError): void;
}

/** The context of a command. */
export interface CommandContext {
  readonly catalog: Catalog;
  /** A read-only view of all collections as of the last commit. The caller closes it. */
  readonly openSnapshot: () => { catalog: Catalog; close: () => void };
  readonly cursors: CursorStore;
  readonly sessions: Sessions;
  /** Commits all changes of this turn. @throws the disk's error, after a rollback */
  readonly commit: () => void;
  /** The transaction of the command. */
  readonly transaction?: Transaction;
  readonly status: ServerStatus;
  readonly db: string;
}

/** A received command, decoded with distinct BSON types. Document sequences are arrays of BSON bytes. */
export type Command = PlainObject;

export type Reply = PlainObject | CursorBatch;

/** A command that is always short returns its reply; one that can be long returns a task. */
export type Handler = (command: Command, context: CommandContext) => Reply | Task<Reply>;
