import { createServer } from "node:http";
import type { AddressInfo, Socket as NetSocket } from "node:net";
import { Server, type ServerOptions, type Socket } from "socket.io";
import { io as connectClient, type Socket as ClientSocket } from "socket.io-client";
import { createFanoutAdapter, type FanoutAdapterOptions } from "../src/index.ts";
import type { FanoutAdapter } from "../src/adapter.ts";

export interface TestServer {
  readonly io: Server;
  readonly port: number;
  /** The adapter of the main namespace, if the server uses this package's adapter. */
  readonly fanout: FanoutAdapter;
  /** The server-side socket of the client with this id. */
  socket(id: string): Socket;
  /** A connected client; `received` lists `[event, ...args]` in order of arrival. */
  client(transports?: string[]): Promise<TestClient>;
  close(): Promise<void>;
}

export interface TestClient {
  readonly socket: ClientSocket;
  readonly id: string;
  readonly received: unknown[][];
}

export async function startServer(options: Partial<ServerOptions>): Promise<TestServer> {
  const http = createServer();
  const io = new Server(http, { transports: ["websocket"], ...options });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const clients: ClientSocket[] = [];
  const connections = new Set<NetSocket>();
  http.on("connection", (connection) => connections.add(connection));
  return {
    io,
    port,
    get fanout() {
      return io.of("/").adapter as FanoutAdapter;
    },
    socket(id) {
      const socket = io.sockets.sockets.get(id);
      if (!socket) throw new Error(`no socket ${id}`);
      return socket;
    },
    async client(transports = ["websocket"]) {
      const socket = connectClient(`http://127.0.0.1:${port}`, {
        transports,
        forceNew: true,
        reconnection: false,
      });
      clients.push(socket);
      const received: unknown[][] = [];
      socket.onAny((...args: unknown[]) => void received.push(args));
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("connect_error", reject);
      });
      return { socket, id: socket.id!, received };
    },
    async close() {
      for (const client of clients) client.disconnect();
      // A client that stopped reading would not answer the closing handshake either.
      for (const connection of connections) connection.destroy();
      await io.close();
    },
  };
}

/** Starts a server that uses the adapter under test. */
export const startFanout = (options: FanoutAdapterOptions = {}): Promise<TestServer> =>
  startServer({ adapter: createFanoutAdapter(options) });

/** Waits until `condition` holds, up to the test's timeout. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
