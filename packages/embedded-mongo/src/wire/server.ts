import net from "node:net";
import type { CommandContext, Reply, ServerStatus } from "../commands/context.ts";
import { CursorStore } from "../commands/cursor-store.ts";
import { dispatch, failure, resume } from "../commands/dispatch.ts";
import { Operation } from "../commands/operation.ts";
import { Sessions } from "../commands/sessions.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Store } from "../storage/store.ts";
import type { Task } from "../command-scope.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { Connection } from "./connection.ts";
import type { Request } from "./message.ts";
import { encodeReply } from "./reply.ts";

/** Time for the commands of a turn, and for a step of a paused command, until other commands run. */
const SLICE_MS = 10;

/** At least so long runs a command before it pauses: short ones are not to wait because many came at once. */
const LEAST_SLICE_MS = 1;

/** A request that ran in this turn. */
interface Answered {
  readonly request: Request;
  readonly connection: Connection;
  readonly durability: Durability;
  reply: Buffer | undefined;
  /** The command has paused, and there is no reply yet. */
  readonly paused: Paused | undefined;
  /** It wrote something, or could read uncommitted changes: the reply is only valid if the commit succeeds. */
  readonly dependsOnCommit: boolean;
}

/** A command that goes on in a later turn. */
interface Paused {
  readonly id: number;
  readonly name: string;
  readonly operation: Operation<Reply>;
  readonly startedMs: number;
  /** undefined: the server itself gave the command. */
  readonly from: { readonly request: Request; readonly connection: Connection } | undefined;
  readonly onEnd?: () => void;
  /** It changed something in an earlier turn. */
  hasWritten: boolean;
}

/** What the client wants to have happened to a write, or to all that a read saw, before it is answered. */
type Durability = "committed" | "synced";

/** Read concerns whose results a restart cannot take back. */
const LASTING_READS = new Set<unknown>(["majority", "linearizable"]);

/** `j: true`, `w: "majority"`, lasting reads and getMore: on disk. Otherwise: with the operating system. */
function durabilityOf(command: PlainObject): Durability {
  const { writeConcern: concern, readConcern } = command;
  if ("fsync" in command || "getMore" in command) return "synced";
  if (isObject(readConcern) && LASTING_READS.has(readConcern["level"])) return "synced";
  const isLasting = isObject(concern) && (concern["j"] === true || concern["w"] === "majority");
  return isLasting ? "synced" : "committed";
}

/** A reply that cannot be encoded becomes an error: one command must not end the server. */
function encoded(request: Request, reply: Reply): Buffer {
  try {
    return encodeReply(request, reply);
  } catch (error) {
    return encodeReply(request, failure(error));
  }
}

/**
 * Serves the wire protocol. The commands of one turn of the event loop share a transaction; replies are sent after its commit,
 * or after the sync if the client asked for that. A lasting read waits for the sync of all earlier changes.
 *
 * Short commands run one after the other, each to its end. A long command is paused when its slice is over. After the commands
 * of each turn one of the paused commands gets another slice and its own transaction.
 */
export class WireServer {
  readonly #store: Store;
  readonly #cursors: CursorStore;
  readonly #sessions: Sessions;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #status: ServerStatus;
  readonly #maxConnections: number;
  #turn: Answered[] = [];
  /** When the commands of this turn have had their time. */
  #turnEndMs = 0;
  #scheduled = false;
  /** The next one to run comes first. Each connection has at most one. */
  readonly #paused = new Set<Paused>();
  #nextOperation = 1;

  constructor(store: Store, options: ResolvedOptions) {
    this.#store = store;
    this.#cursors = new CursorStore(options.cursorTimeoutMs);
    this.#sessions = new Sessions(store.transactions, this.#cursors);
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#maxConnections = options.maxConnections;
    this.#server.maxConnections = options.maxConnections;
    this.#status = {
      startedAt: Date.now(),
      connections: () => this.#sockets.size,
      storage: () => store.status(),
      operations: () => Array.from(this.#paused, ({ id, name, startedMs }) => ({ id, name, startedMs })),
      interrupt: (id, error) => {
        for (const paused of this.#paused) if (paused.id === id) paused.operation.interrupt(error);
      },
    };
  }

  listen(target: { path: string } | { host: string; port: number }): Promise<net.AddressInfo | string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      // As many may wait to be accepted as may be open: all clients come at once when the server was restarted or stopped.
      this.#server.listen({ ...target, backlog: this.#maxConnections }, () =>
        resolve(this.#server.address()!),
      );
    });
  }

  /** Ends cursors, transactions and sessions that are too old. */
  expire(): void {
    this.#cursors.expire(Date.now());
    this.#sessions.expire();
  }

  /** Runs a long command of the server itself between those of the clients. */
  runInBackground(name: string, task: Task<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const run = function* (): Task<Reply> {
        yield* task;
        return {};
      };
      this.#pause({
        id: this.#nextOperation++,
        name,
        operation: new Operation(run()),
        startedMs: Date.now(),
        from: undefined,
        onEnd: resolve,
        hasWritten: false,
      });
      this.#schedule();
    });
  }

  /** Ends all connections; commands that were not answered yet stay unanswered. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    for (const paused of this.#paused) this.#end(paused);
    this.#cursors.closeAll();
    return closed;
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    const connection = new Connection(socket, (request) => this.#handle(request, connection));
    socket.on("close", () => {
      this.#sockets.delete(socket);
      for (const paused of this.#paused)
        if (paused.from?.connection === connection && paused.from.request.wantsReply) this.#end(paused);
    });
  }

  #handle(request: Request, connection: Connection): void {
    const { command } = request;
    // A cursor cannot go back, so getMore must not return changes that can still be rolled back. Nor can transactions.
    if (this.#store.isOpen && ("getMore" in command || "autocommit" in command)) this.#finishTurn();
    this.#schedule();
    const result = this.#run(request);
    this.#add(request, connection, result);
  }

  /** Adds what a command of this turn has come to. */
  #add(request: Request, connection: Connection, result: Reply | Operation<Reply>): void {
    const dependsOnCommit = this.#store.isOpen || "commitTransaction" in request.command;
    const durability = durabilityOf(request.command);
    if (!(result instanceof Operation)) {
      const reply = request.wantsReply ? encoded(request, result) : undefined;
      this.#turn.push({ request, connection, durability, reply, paused: undefined, dependsOnCommit });
      return;
    }
    const paused = this.#pauseRequest(request, connection, result);
    this.#turn.push({ request, connection, durability, reply: undefined, paused, dependsOnCommit });
  }

  #pauseRequest(request: Request, connection: Connection, operation: Operation<Reply>): Paused {
    connection.hold();
    const [name] = Object.keys(request.command);
    const paused: Paused = {
      id: this.#nextOperation++,
      name: name!,
      operation,
      startedMs: Date.now(),
      from: { request, connection },
      hasWritten: this.#store.isOpen,
    };
    this.#pause(paused);
    return paused;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#turnEndMs = performance.now() + SLICE_MS;
    setImmediate(() => {
      this.#scheduled = false;
      this.#finishTurn();
      this.#continueOne();
    });
  }

  #run(request: Request): Reply | Operation<Reply> {
    const { command } = request;
    const db = typeof command["$db"] === "string" ? command["$db"] : "admin";
    const context: CommandContext = {
      catalog: this.#store.catalog,
      openSnapshot: () => this.#store.openSnapshot(),
      cursors: this.#cursors,
      sessions: this.#sessions,
      commit: () => this.#store.commit(),
      status: this.#status,
      db,
    };
    return dispatch(command, context, Math.max(this.#turnEndMs, performance.now() + LEAST_SLICE_MS));
  }

  #pause(paused: Paused): void {
    this.#paused.add(paused);
    this.#schedule();
  }

  /** Gives the next paused command a slice. */
  #continueOne(): void {
    const [paused] = this.#paused;
    if (!paused) return;
    this.#paused.delete(paused);
    if (this.#paused.size > 0) this.#schedule();
    const result = resume(paused.operation, performance.now() + SLICE_MS);
    const isOpen = this.#store.isOpen;
    if (result instanceof Operation) {
      paused.hasWritten ||= isOpen;
      this.#pause(paused);
    }
    let failed: unknown;
    try {
      this.#store.commit();
    } catch (error) {
      failed = error;
    }
    if (result instanceof Operation && failed === undefined) return;
    // What it did in earlier turns stays, as in MongoDB.
    if (result instanceof Operation) this.#end(paused);
    else paused.onEnd?.();
    this.#answer(paused, failed === undefined ? (result as Reply) : failure(failed), isOpen);
  }

  #answer({ from, hasWritten }: Paused, reply: Reply, isOpen: boolean): void {
    if (!from) return;
    const { request, connection } = from;
    this.#turn.push({
      request,
      connection,
      durability: durabilityOf(request.command),
      reply: request.wantsReply ? encoded(request, reply) : undefined,
      paused: undefined,
      dependsOnCommit: hasWritten || isOpen,
    });
    // Everything is committed.
    this.#finishTurn();
    connection.release();
  }

  /** Ends a paused command without an answer. */
  #end(paused: Paused): void {
    this.#paused.delete(paused);
    paused.operation.end();
    paused.onEnd?.();
    this.#schedule();
  }

  #finishTurn(): void {
    const turn = this.#turn;
    this.#turn = [];
    const released: Connection[] = [];
    try {
      this.#store.commit();
    } catch {
      for (const answered of turn) {
        if (!answered.dependsOnCommit) continue;
        const isPaused = this.#runAlone(answered);
        if (answered.paused && !isPaused) released.push(answered.connection);
      }
    }
    const { room } = this.#store;
    const isLater = ({ durability, dependsOnCommit }: Answered) =>
      durability === "synced" || (room !== undefined && dependsOnCommit);
    const ready = turn.filter(({ reply }) => reply !== undefined);
    const later = ready.filter(isLater);
    for (const answered of ready) if (!isLater(answered)) send(answered);
    if (later.length > 0) void this.#sendLater(later, room);
    for (const connection of released) connection.release();
  }

  async #sendLater(answered: readonly Answered[], room: Promise<void> | undefined): Promise<void> {
    try {
      await this.#store.sync();
    } catch {
      return; // The store reports it and shuts down.
    }
    await room;
    answered.forEach(send);
  }

  /** Runs a command of a turn that was rolled back again, in its own transaction. @returns whether it is paused */
  #runAlone(answered: Answered): boolean {
    const { request, connection, paused } = answered;
    if (paused) this.#end(paused);
    let result = this.#run(request);
    try {
      this.#store.commit();
    } catch (error) {
      if (result instanceof Operation) result.end();
      result = failure(error);
    }
    if (result instanceof Operation) this.#pauseRequest(request, connection, result);
    else answered.reply = request.wantsReply ? encoded(request, result) : undefined;
    return result instanceof Operation;
  }
}

function send({ connection, reply }: Answered): void {
  if (reply) connection.send(reply);
}
