import { type Task, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { type Transaction, type Transactions, transient } from "../storage/transactions.ts";
import { integerOption } from "../values/numbers.ts";
import { bsonType, isObject } from "../values/types.ts";
import {
  arrayField,
  objectField,
  targetName,
  type Command,
  type CommandContext,
  type Handler,
  type Reply,
} from "./context.ts";
import type { CursorStore } from "./cursor-store.ts";

/** Reported by `hello`. */
export const SESSION_MINUTES = 30;
const MAX_SESSIONS = 10_000;

const STATEMENTS = new Set([
  "aggregate",
  "delete",
  "distinct",
  "find",
  "findAndModify",
  "findandmodify",
  "getMore",
  "insert",
  "killCursors",
  "update",
]);
const WRITES = new Set(["findAndModify", "findandmodify", "insert", "update"]);
const STAGES = ["$out", "$merge", "$collStats", "$indexStats", "$listSessions", "$planCacheStats"];
const READ_CONCERNS = new Set<unknown>([undefined, "local", "majority", "snapshot"]);

/** The last transaction of a session. Sessions without transactions aren't stored. */
interface Session {
  readonly id: string;
  txnNumber: number;
  state: "open" | "committed" | "aborted";
  transaction: Transaction | undefined;
  usedAt: number;
}

export class Sessions {
  readonly #transactions: Transactions;
  readonly #cursors: CursorStore;
  /** Ordered by last use. */
  readonly #sessions = new Map<string, Session>();

  constructor(transactions: Transactions, cursors: CursorStore) {
    this.#transactions = transactions;
    this.#cursors = cursors;
  }

  /** Runs a command of a transaction. Any error, even of a single statement, aborts it. */
  *run(command: Command, context: CommandContext, handler: Handler): Task<Reply> {
    if (command["autocommit"] !== false)
      throw new CommandError("InvalidOptions", "autocommit can only be false");
    const [name = ""] = Object.keys(command);
    const session = this.#sessionOf(command, name);
    if (name === "commitTransaction") return yield* this.#commit(session);
    if (name === "abortTransaction") return this.#abortOnce(session);
    let isDone = false;
    const transaction = openOf(session);
    try {
      checkStatement(name, command);
      const { db } = context;
      // A collection created by a transaction is visible to others while it is empty.
      if (WRITES.has(name)) {
        context.catalog.ensure(db, targetName(command));
        context.commit();
      }
      const task = toTask(() => handler(command, { ...context, transaction }));
      const reply = yield* this.#transactions.run(transaction, namespaceOf(name, command, db), task);
      isDone = !("writeErrors" in reply);
      return reply;
    } finally {
      if (!isDone) this.#abort(session);
    }
  }

  /** Ends sessions; their transactions are aborted. */
  end(ids: readonly unknown[]): void {
    for (const id of ids) {
      const session = this.#sessions.get(sessionKey(id));
      if (session) this.#forget(session);
    }
  }

  endAll(): void {
    for (const session of this.#sessions.values()) this.#forget(session);
  }

  refresh(ids: readonly unknown[]): void {
    for (const id of ids) this.#use(this.#sessions.get(sessionKey(id)));
  }

  /** Removes expired sessions and aborts expired transactions. */
  expire(): void {
    this.#transactions.expire();
    const oldest = Date.now() - SESSION_MINUTES * 60_000;
    for (const session of this.#sessions.values()) {
      if (session.transaction?.isOpen === false) this.#abort(session);
      if (session.usedAt < oldest) this.#forget(session);
    }
  }

  #sessionOf(command: Command, name: string): Session {
    const key = sessionKey(command["lsid"]);
    if (command["txnNumber"] === undefined)
      throw new CommandError("InvalidOptions", "'autocommit' field requires a transaction number");
    const txnNumber = integerOption(command["txnNumber"], "txnNumber", 0);
    const session = this.#sessions.get(key);
    this.#use(session);
    if (session && txnNumber < session.txnNumber)
      throw new CommandError(
        "TransactionTooOld",
        `Cannot start transaction ${txnNumber}: a newer one, ${session.txnNumber}, has already started`,
      );
    if (command["startTransaction"] === true) return this.#start(key, session, txnNumber, command, name);
    if (command["startTransaction"] !== undefined)
      throw new CommandError("InvalidOptions", "startTransaction can only be true");
    if (session?.txnNumber !== txnNumber)
      throw transient(
        "NoSuchTransaction",
        `Given transaction number ${txnNumber} does not match any in-progress transactions`,
      );
    if (isObject(command["readConcern"]))
      throw new CommandError(
        "InvalidOptions",
        "Only the first command in a transaction may specify a readConcern",
      );
    return session;
  }

  #start(
    key: string,
    known: Session | undefined,
    txnNumber: number,
    command: Command,
    name: string,
  ): Session {
    if (known?.txnNumber === txnNumber)
      throw new CommandError(
        "ConflictingOperationInProgress",
        `The transaction ${txnNumber} of this session has already started`,
      );
    checkStatement(name, command);
    const { level } = objectField(command, "readConcern");
    if (!READ_CONCERNS.has(level))
      throw new CommandError(
        "InvalidOptions",
        `The readConcern level must be local, majority or snapshot in a transaction, not ${String(level)}`,
      );
    if (known) this.#abort(known);
    const transaction = this.#transactions.begin(level === "snapshot");
    const session: Session = { id: key, txnNumber, state: "open", transaction, usedAt: Date.now() };
    this.#use(session);
    for (const oldest of this.#sessions.values()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#forget(oldest);
    }
    return session;
  }

  /** Idempotent, because drivers retry a commit whose reply was lost. */
  *#commit(session: Session): Task<Reply> {
    if (session.state === "committed") return {};
    const transaction = openOf(session);
    while (transaction.isBusy) yield PAUSE;
    if (session.state === "open") {
      let isCommitted = false;
      try {
        this.#transactions.commit(transaction);
        isCommitted = true;
      } finally {
        this.#abort(session);
        if (isCommitted) session.state = "committed";
      }
    }
    return {};
  }

  #abortOnce(session: Session): Reply {
    openOf(session);
    this.#abort(session);
    return {};
  }

  #abort(session: Session): void {
    const { transaction } = session;
    if (!transaction) return;
    this.#transactions.abort(transaction);
    this.#cursors.killOf(transaction);
    session.state = "aborted";
    session.transaction = undefined;
  }

  #forget(session: Session): void {
    this.#abort(session);
    this.#sessions.delete(session.id);
  }

  #use(session: Session | undefined): void {
    if (!session) return;
    session.usedAt = Date.now();
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
  }
}

/** @throws CommandError */
function openOf({ state, transaction, txnNumber }: Session): Transaction {
  if (state === "committed")
    throw new CommandError("TransactionCommitted", `Transaction ${txnNumber} has been committed.`);
  if (!transaction) throw transient("NoSuchTransaction", `Transaction ${txnNumber} has been aborted.`);
  return transaction;
}

function sessionKey(lsid: unknown): string {
  const id = isObject(lsid) ? lsid["id"] : undefined;
  if (bsonType(id) !== "Binary")
    throw new CommandError("InvalidOptions", "Transactions need a session: lsid must be {id: UUID}");
  return Buffer.from((id as { buffer: Uint8Array }).buffer).toString("hex");
}

function checkStatement(name: string, command: Command): void {
  if (!STATEMENTS.has(name))
    throw new CommandError(
      "OperationNotSupportedInTransaction",
      `Cannot run '${name}' in a multi-document transaction.`,
    );
  if (isObject(command["writeConcern"]))
    throw new CommandError(
      "InvalidOptions",
      "writeConcern is not allowed within a multi-statement transaction",
    );
  if (name !== "aggregate") return;
  for (const stage of arrayField(command, "pipeline"))
    for (const refused of STAGES)
      if (isObject(stage) && refused in stage)
        throw new CommandError(
          "OperationNotSupportedInTransaction",
          `Stage not supported inside of a multi-document transaction: ${refused}`,
        );
}

/** undefined if the command can read several collections. */
function namespaceOf(name: string, command: Command, db: string): string | undefined {
  if (name === "aggregate") return undefined;
  const collection = name === "getMore" ? command["collection"] : command[name];
  return `${db}.${String(collection)}`;
}

function* toTask(run: () => Reply | Task<Reply>): Task<Reply> {
  const result = run();
  return Symbol.iterator in result ? yield* result : result;
}

const idsIn = (command: Command, name: string): unknown[] => {
  const given: unknown = command[name];
  return Array.isArray(given) ? given : [];
};

const transactionOnly: Handler = (command) => {
  throw new CommandError("CommandFailed", `${Object.keys(command)[0]} must be run within a transaction`);
};

/** The commands of sessions. */
export const sessionCommands: Record<string, Handler> = {
  endSessions: (command, { sessions }) => {
    sessions.end(idsIn(command, "endSessions"));
    return {};
  },
  killSessions: (command, { sessions }) => {
    const ids = idsIn(command, "killSessions");
    if (ids.length === 0) sessions.endAll();
    sessions.end(ids);
    return {};
  },
  killAllSessions: (_command, { sessions }) => {
    sessions.endAll();
    return {};
  },
  refreshSessions: (command, { sessions }) => {
    sessions.refresh(idsIn(command, "refreshSessions"));
    return {};
  },
  commitTransaction: transactionOnly,
  abortTransaction: transactionOnly,
};
