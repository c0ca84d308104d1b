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

/** A request that ran in this turn. */
interface Answered {
  readonly request: Request;
  readonly connection: Connection;
  readonly durability: Durability;
  reply: Buffer | undefined;
  /** It wrote something, or could read uncommitted changes: the reply is only valid if the commit succeeds. */
  readonly dependsOnCommit: boolean;
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
 * Serves the wire protocol. Commands run one at a time, each to its end. The commands of one turn of the event loop share a
 * transaction; replies are sent after its commit, or after the sync if the client asked for that. A lasting read waits for
 * the sync of all earlier changes.
 */
export class WireServer {
  readonly #store: Store;
  readonly #cursors: CursorStore;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #status: ServerStatus;
  readonly #maxConnections: number;
  #turn: Answered[] = [];
  #scheduled = false;

  constructor(store: Store, options: ResolvedOptions) {
    this.#store = store;
    this.#cursors = new CursorStore(options.cursorTimeoutMs);
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#maxConnections = options.maxConnections;
    this.#server.maxConnections = options.maxConnections;
    this.#status = {
      startedAt: Date.now(),
      connections: () => this.#sockets.size,
      storage: () => store.status(),
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
    this.#cursors.closeAll();
    return closed;
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    void new Connection(socket, (request, connection) => this.#handle(request, connection));
  }

  #handle(request: Request, connection: Connection): void {
    const { command } = request;
    // A cursor cannot go back, so getMore must not return changes that can still be rolled back.
    if (this.#store.isOpen && "getMore" in command) this.#finishTurn();
    const reply = this.#run(request);
    const durability = durabilityOf(command);
    this.#turn.push({ request, connection, durability, reply, dependsOnCommit: this.#store.isOpen });
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#finishTurn();
    });
  }

  #run(request: Request): Buffer | undefined {
    const { command } = request;
    const db = typeof command["$db"] === "string" ? command["$db"] : "admin";
    const context: CommandContext = {
      catalog: this.#store.catalog,
      openSnapshot: () => this.#store.openSnapshot(),
      cursors: this.#cursors,
      status: this.#status,
      db,
    };
    const reply = dispatch(command, context);
    return request.wantsReply ? encoded(request, reply) : undefined;
  }

  #finishTurn(): void {
    const turn = this.#turn;
    this.#turn = [];
    try {
      this.#store.commit();
    } catch {
      for (const answered of turn) if (answered.dependsOnCommit) this.#runAlone(answered);
    }
    const { room } = this.#store;
    const isLater = ({ durability, dependsOnCommit }: Answered) =>
      durability === "synced" || (room !== undefined && dependsOnCommit);
    const later = turn.filter(isLater);
    for (const answered of turn) if (!isLater(answered)) send(answered);
    if (later.length > 0) void this.#sendLater(later, room);
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

  /** Runs a command of a turn that was rolled back again, in its own transaction. */
  #runAlone(answered: Answered): void {
    answered.reply = this.#run(answered.request);
    try {
      this.#store.commit();
    } catch (error) {
      answered.reply = answered.reply && encoded(answered.request, failure(error));
    }
  }
}

function send({ connection, reply }: Answered): void {
  if (reply) connection.send(reply);
}
