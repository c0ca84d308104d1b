import net from "node:net";
import type { CommandContext, ServerStatus } from "../commands/context.ts";
import { CursorStore } from "../commands/cursor-store.ts";
import { dispatch, failure, type Reply } from "../commands/dispatch.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Store } from "../storage/store.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { Connection } from "./connection.ts";
import type { Request } from "./message.ts";
import { encodeReply } from "./reply.ts";

interface Outgoing {
  readonly connection: Connection;
  readonly bytes: Buffer;
}

/** What the client wants to have happened to a write, or to all that a read saw, before it is answered. */
type Durability = "none" | "flushed" | "synced";

/** Read concerns whose results a restart cannot take back. */
const LASTING_READS = new Set<unknown>(["majority", "linearizable"]);

/** `j: true`, `w: "majority"` and lasting reads: on disk. `j: false`: nothing. Otherwise: with the operating system. */
function durabilityOf(command: PlainObject): Durability {
  const { writeConcern: concern, readConcern } = command;
  if ("fsync" in command) return "synced";
  if (isObject(readConcern) && LASTING_READS.has(readConcern["level"])) return "synced";
  if (!isObject(concern)) return "flushed";
  if (concern["j"] === true || concern["w"] === "majority") return "synced";
  return concern["j"] === false ? "none" : "flushed";
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
 * Serves the wire protocol. Commands run one at a time, each to its end. Answers are sent when the changes of all
 * commands of the same turn of the event loop are with the operating system, or on disk where that was asked for, or
 * at once after `j: false`. Reads go by what earlier commands changed, so a lasting read waits for all of that; the pages
 * of its cursor need not, because a cursor keeps what it found when it was opened.
 */
export class WireServer {
  readonly #store: Store;
  readonly #cursors: CursorStore;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #status: ServerStatus;
  readonly #maxConnections: number;
  #flushed: Outgoing[] = [];
  #synced: Outgoing[] = [];
  #scheduled = false;
  #mustFlush = false;

  constructor(store: Store, options: ResolvedOptions) {
    this.#store = store;
    this.#cursors = new CursorStore(options.cursorTimeoutMs);
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#maxConnections = options.maxConnections;
    this.#server.maxConnections = options.maxConnections;
    this.#status = {
      startedAt: Date.now(),
      connections: () => this.#sockets.size,
      journalBytes: () => store.journalBytes,
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

  expireCursors(): void {
    this.#cursors.expire(Date.now());
  }

  /** Ends all connections; commands that were not answered yet stay unanswered. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    void new Connection(socket, (request, connection) => this.#handle(request, connection));
  }

  #handle(request: Request, connection: Connection): void {
    const { command } = request;
    const db = typeof command["$db"] === "string" ? command["$db"] : "admin";
    const context: CommandContext = {
      catalog: this.#store.catalog,
      cursors: this.#cursors,
      status: this.#status,
      db,
    };
    const pending = this.#store.pendingOperations;
    const reply = dispatch(command, context);
    const durability = durabilityOf(command);
    if (durability !== "none" && this.#store.pendingOperations !== pending) this.#mustFlush = true;
    if (request.wantsReply) {
      const outgoing = { connection, bytes: encoded(request, reply) };
      (durability === "synced" ? this.#synced : this.#flushed).push(outgoing);
    }
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#finishTurn());
    }
  }

  async #sendWhenSynced(outgoing: readonly Outgoing[]): Promise<void> {
    try {
      await this.#store.sync();
    } catch {
      return; // As in finishTurn.
    }
    for (const { connection, bytes } of outgoing) connection.send(bytes);
  }

  #finishTurn(): void {
    this.#scheduled = false;
    const [flushed, synced] = [this.#flushed, this.#synced];
    this.#flushed = [];
    this.#synced = [];
    try {
      if (this.#mustFlush) this.#store.flush();
      this.#mustFlush = false;
    } catch {
      return; // The journal reported its failure itself: nothing is acknowledged any more.
    }
    for (const { connection, bytes } of flushed) connection.send(bytes);
    if (synced.length === 0) return;
    void this.#sendWhenSynced(synced);
  }
}
