import net from "node:net";
import type { CommandContext, Reply, ServerStatus } from "../commands/context.ts";
import { CursorStore } from "../commands/cursor-store.ts";
import { dispatch, failure, resume } from "../commands/dispatch.ts";
import { Operation, type Task } from "../command-scope.ts";
import { Sessions } from "../commands/sessions.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Store } from "../storage/store.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { Connection } from "./connection.ts";
import { type Request, encodeReply } from "./message.ts";

/** Further ones are rejected. */
const MAX_CONNECTIONS = 2000;

/** Time slice for the commands of a turn, and for a step of a paused command. */
const SLICE_MS = 10;

/** How long a paused command keeps its transaction open if no other command arrives. */
const MAX_KEPT_OPEN_MS = 20;

/** Minimum time that a command runs before it pauses, so that short commands don't pause when many arrive together. */
const MIN_SLICE_MS = 1;

/** A request executed in this turn. */
interface Answered {
  readonly request: Request;
  readonly connection: Connection;
  readonly durability: Durability;
  reply: Buffer | undefined;
  /** The command is paused, so there is no reply yet. */
  readonly paused: Paused | undefined;
  /** It wrote something or could read uncommitted changes, so the reply is only valid if the commit succeeds. */
  readonly dependsOnCommit: boolean;
}

/** A command that continues in a later turn. */
interface Paused {
  readonly id: number;
  readonly name: string;
  readonly operation: Operation<Reply>;
  readonly startedMs: number;
  /** undefined for commands of the server itself. */
  readonly from: { readonly request: Request; readonly connection: Connection } | undefined;
  readonly onEnd?: () => void;
  /** Whether it changed something in an earlier turn. */
  hasWritten: boolean;
}

/** The durability required of a write, or of all data that a read returns, before the reply. */
type Durability = "committed" | "synced";

/** Read concerns whose results must survive a restart. */
const DURABLE_READS = new Set<unknown>(["majority", "linearizable"]);

/** On disk for `j: true`, `w: "majority"`, durable reads and getMore; otherwise passed to the operating system. */
function durabilityOf(command: PlainObject): Durability {
  const { writeConcern: concern, readConcern } = command;
  if ("fsync" in command || "getMore" in command) return "synced";
  if (isObject(readConcern) && DURABLE_READS.has(readConcern["level"])) return "synced";
  const isLasting = isObject(concern) && (concern["j"] === true || concern["w"] === "majority");
  return isLasting ? "synced" : "committed";
}

/** A reply that can't be encoded becomes an error, because a single command must not crash the server. */
function encoded(request: Request, reply: Reply): Buffer {
  try {
    return encodeReply(request, reply);
  } catch (error) {
    return encodeReply(request, failure(error));
  }
}

/**
 * Serves the wire protocol. The commands of one turn of the event loop share a transaction. Replies are sent after its commit, or
 * after the sync if the client requested it. A durable read waits for the sync of all earlier changes.
 *
 * Short commands run sequentially to completion. A long command is paused when its time slice is over. After the commands of each turn,
 * one of the paused commands gets another slice with its own transaction.
 */
export class WireServer {
  readonly #store: Store;
  readonly #cursors: CursorStore;
  readonly #sessions: Sessions;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #status: ServerStatus;
  #turn: Answered[] = [];
  /** When the time slice of this turn ends. */
  #turnEndMs = 0;
  #scheduled = false;
  /** Paused commands, next first. Each connection has at most one. */
  readonly #paused = new Set<Paused>();
  #nextOperation = 1;
  /** The paused command whose changes are not committed yet. Only it may run until they are. */
  #uncommitted: Paused | undefined;
  /** When its changes are committed at the latest. */
  #commitMs = 0;
  /** What the paused commands, or those of this turn, wait for. */
  #awaited: Promise<void> | undefined;

  constructor(store: Store, options: ResolvedOptions) {
    this.#store = store;
    this.#cursors = new CursorStore(options.cursorTimeoutMs);
    this.#sessions = new Sessions(store.transactions, this.#cursors);
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
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
      // A backlog for all connections, because all clients reconnect together after a restart or suspension.
      this.#server.listen({ ...target, backlog: MAX_CONNECTIONS }, () => resolve(this.#server.address()!));
    });
  }

  /** Ends expired cursors, transactions and sessions. */
  expire(): void {
    this.#cursors.expire(Date.now());
    this.#sessions.expire();
  }

  /** Runs a long command of the server itself, interleaved with those of clients. */
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

  /** Closes all connections without answering pending commands. */
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
    // Commands share no transaction with a paused one, which can't be repeated if the commit fails.
    this.#commitPaused();
    // Cursors can't rewind, so getMore must not return changes that can still be rolled back. The same goes for transactions.
    if (this.#store.isOpen && ("getMore" in command || "autocommit" in command)) this.#finishTurn();
    this.#schedule();
    const result = this.#run(request);
    this.#add(request, connection, result);
  }

  /** Adds the outcome of a command of this turn. */
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
      if (this.#waitsForSync()) return;
      if (!this.#uncommitted && !this.#keepOpen()) this.#finishTurn();
      this.#continueOne();
    });
  }

  /**
   * Commands whose changes must be on disk are answered by the next sync at the earliest. Those that arrive during the running one
   * share a transaction.
   */
  #waitsForSync(): boolean {
    const { syncing } = this.#store;
    if (!syncing || this.#paused.size > 0 || this.#turn.length === 0) return false;
    if (!this.#turn.every(({ durability }) => durability === "synced")) return false;
    this.#scheduleAfter(syncing);
    return true;
  }

  #scheduleAfter(end: Promise<void>): void {
    if (this.#awaited === end) return;
    this.#awaited = end;
    void end.then(() => this.#schedule());
  }

  /** If a paused command was the only one of this turn, it continues in the same transaction. @returns whether it does */
  #keepOpen(): boolean {
    const [only, other] = this.#turn;
    if (!only?.paused || other || !this.#paused.has(only.paused)) return false;
    if (!this.#store.isOpen || this.#store.restart) return false;
    this.#turn = [];
    this.#uncommitted = only.paused;
    this.#commitMs = performance.now() + MAX_KEPT_OPEN_MS - SLICE_MS;
    return true;
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
    return dispatch(command, context, Math.max(this.#turnEndMs, performance.now() + MIN_SLICE_MS));
  }

  #pause(paused: Paused): void {
    this.#paused.add(paused);
    this.#schedule();
  }

  #nextPaused(): Paused | undefined {
    const { restart } = this.#store;
    for (const paused of this.#paused) if (!restart || !paused.hasWritten) return paused;
    if (restart && this.#paused.size > 0) this.#scheduleAfter(restart);
    return undefined;
  }

  /** Runs a slice of the next paused command. */
  #continueOne(): void {
    const paused = this.#uncommitted ?? this.#nextPaused();
    if (!paused) return;
    this.#paused.delete(paused);
    if (this.#paused.size > 0) this.#schedule();
    const now = performance.now();
    if (!this.#uncommitted) this.#commitMs = now + MAX_KEPT_OPEN_MS;
    const result = resume(paused.operation, now + SLICE_MS);
    if (!(result instanceof Operation)) {
      this.#finish(paused, result);
      return;
    }
    paused.hasWritten ||= this.#store.isOpen;
    this.#uncommitted = this.#store.isOpen ? paused : undefined;
    this.#pause(paused);
    if (performance.now() > this.#commitMs) this.#commitPaused();
  }

  /** Ends a paused command with its reply. */
  #finish(paused: Paused, reply: Reply): void {
    this.#uncommitted = undefined;
    const isOpen = this.#store.isOpen;
    const failed = this.#tryCommit();
    paused.onEnd?.();
    this.#answer(paused, failed ?? reply, isOpen);
  }

  /** Commits the changes of a paused command, which ends if that fails. Its earlier commits stay, as in MongoDB. */
  #commitPaused(): void {
    const paused = this.#uncommitted;
    if (!paused) return;
    this.#uncommitted = undefined;
    const failed = this.#tryCommit();
    if (!failed) return;
    this.#end(paused);
    this.#answer(paused, failed, true);
  }

  /** @returns the reply of a command whose changes were rolled back */
  #tryCommit(): Reply | undefined {
    try {
      this.#store.commit();
      return undefined;
    } catch (error) {
      return failure(error);
    }
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

  /** Cancels a paused command without a reply. */
  #end(paused: Paused): void {
    this.#paused.delete(paused);
    if (this.#uncommitted === paused) {
      this.#uncommitted = undefined;
      this.#tryCommit();
    }
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
      return; // The store reports the error and shuts down.
    }
    await room;
    answered.forEach(send);
  }

  /** Reruns a command of a turn that was rolled back, in its own transaction. @returns whether it is paused */
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
