import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, type ServerOptions } from "socket.io";
import { io as connectClient, type Socket as ClientSocket } from "socket.io-client";

export interface TestServer {
  readonly io: Server;
  readonly port: number;
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
  return {
    io,
    port,
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
      await io.close();
    },
  };
}

/** Waits until `condition` holds; the test's own time limit is the bound. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
