import net from "node:net";
import type { Document } from "mongodb";
import { HEADER_BYTES, parseRequest, type Request, encodeReply } from "../../src/wire/message.ts";

/**
 * A proxy that provides MongoDB's fail point `failCommand`, used by tests of retries, to a server without it.
 * https://github.com/mongodb/mongo/blob/master/src/mongo/util/fail_point.h
 */
interface FailPoint {
  /** The number of remaining times it applies. */
  times: number;
  readonly data: Document;
}

const nameOf = (request: Request): string => Object.keys(request.command)[0] ?? "";

/** Calls back with each complete message. */
function onMessage(socket: net.Socket, handle: (message: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      handle(received.subarray(0, length));
      received = received.subarray(length);
    }
  });
}

export class FailPointProxy {
  readonly #target: net.NetConnectOpts;
  readonly #server = net.createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<net.Socket>();
  #failPoint: FailPoint | undefined;

  private constructor(target: net.NetConnectOpts) {
    this.#target = target;
  }

  static async start(port: number): Promise<{ uri: string; close(): Promise<void> }> {
    const proxy = new FailPointProxy({ port, host: "127.0.0.1" });
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    const { port: own } = proxy.#server.address() as net.AddressInfo;
    return { uri: `mongodb://127.0.0.1:${own}/`, close: () => proxy.#close() };
  }

  #close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: net.Socket): void {
    const server = net.connect(this.#target);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        (socket === client ? server : client).destroy();
      });
    }
    let appName: unknown;
    /** Requests whose replies get a fail point's write concern error. */
    const changed = new Map<number, Document>();
    onMessage(client, (message) => {
      const request = parseRequest(message);
      appName ??= (request.command["client"] as Document | undefined)?.["application"]?.name;
      if (nameOf(request) === "configureFailPoint") return void client.write(this.#configure(request));
      const data = this.#failing(request, appName);
      const wait = data?.["blockConnection"] ? Number(data["blockTimeMS"]) : 0;
      const pass = () => {
        if (data?.["closeConnection"]) return client.destroy();
        if (data?.["errorCode"] !== undefined)
          return void client.write(encodeReply(request, failure(data, request)));
        if (data?.["writeConcernError"]) changed.set(request.id, data);
        server.write(message);
      };
      if (wait > 0) setTimeout(pass, wait);
      else pass();
    });
    onMessage(server, (message) => {
      const to = message.readInt32LE(8);
      const data = changed.get(to);
      changed.delete(to);
      if (!data) return void client.write(message);
      const { writeConcernError, errorLabels } = data;
      const reply = {
        ...parseRequest(message).command,
        writeConcernError,
        ...(errorLabels && { errorLabels }),
      };
      client.write(encodeReply({ id: to, command: {}, legacy: false, wantsReply: true }, reply));
    });
  }

  #configure(request: Request): Buffer {
    const { configureFailPoint: name, mode, data } = request.command;
    if (name !== "failCommand") {
      return encodeReply(request, {
        ok: 0,
        code: 97,
        codeName: "FailPointSetFailed",
        errmsg: `no fail point ${String(name)}`,
      });
    }
    const times = mode === "alwaysOn" ? Number.POSITIVE_INFINITY : Number((mode as Document)["times"]);
    this.#failPoint = mode === "off" ? undefined : { times, data: data as Document };
    return encodeReply(request, { ok: 1 });
  }

  #failing(request: Request, appName: unknown): Document | undefined {
    const { data } = this.#failPoint ?? {};
    if (!data?.["failCommands"].includes(nameOf(request))) return undefined;
    if (data["appName"] !== undefined && data["appName"] !== appName) return undefined;
    this.#failPoint!.times--;
    if (this.#failPoint!.times === 0) this.#failPoint = undefined;
    return data;
  }
}

function failure({ errorCode, errorLabels }: Document, { command }: Request): Document {
  const code = Number(errorCode);
  const labels = errorLabels ?? (isTransient(code, command) ? ["TransientTransactionError"] : undefined);
  return {
    ok: 0,
    code: errorCode,
    codeName: CODE_NAMES.get(code),
    errmsg: "Failing command via 'failCommand' failpoint",
    ...(labels && { errorLabels: labels }),
  };
}

const CODE_NAMES = new Map([
  [50, "MaxTimeMSExpired"],
  [11601, "Interrupted"],
]);

/** LockTimeout, WriteConflict, SnapshotUnavailable, NoSuchTransaction, PreparedTransactionInProgress */
const TRANSIENT = new Set([24, 112, 246, 251, 267]);
/** Not for commits and aborts: NotWritablePrimary. */
const TRANSIENT_IN_STATEMENTS = new Set([10107]);

const isTransient = (code: number, command: Document): boolean =>
  command["autocommit"] === false &&
  (TRANSIENT.has(code) ||
    (TRANSIENT_IN_STATEMENTS.has(code) &&
      !("commitTransaction" in command || "abortTransaction" in command)));
