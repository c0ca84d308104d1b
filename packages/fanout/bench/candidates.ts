import type { Server as HttpServer } from "node:http";
import type { Socket as NetSocket } from "node:net";
import { Server, type ServerOptions } from "socket.io";
import { WebSocketServer } from "ws";
import { textFrame } from "../src/frames.ts";
import { createFanoutAdapter, slimSocket } from "../src/index.ts";
import { type Candidate, EVENT, PAYLOAD } from "./protocol.ts";

type Broadcast = () => void;

const encode = (): string => `42${JSON.stringify([EVENT, PAYLOAD])}`;

function socketIo(http: HttpServer, options: Partial<ServerOptions>, slim = false): Broadcast {
  // No heartbeats during a run, because they would disturb the rounds of other candidates.
  const io = new Server(http, { transports: ["websocket"], pingInterval: 3_600_000, ...options });
  io.on("connection", (socket) => {
    void socket.join(["all", `user:${socket.id}`]);
    if (slim) slimSocket(socket);
  });
  return () => void io.to("all").emit(EVENT, PAYLOAD);
}

function bareWs(http: HttpServer, frames: boolean): Broadcast {
  const server = new WebSocketServer({ server: http });
  server.on("headers", (headers) => void headers.push("X-Bare: 1"));
  const connections: NetSocket[] = [];
  server.on("connection", (_socket, request) => void connections.push(request.socket));
  if (frames) {
    return () => {
      const frame = textFrame(encode());
      for (const connection of connections) connection.write(frame);
    };
  }
  return () => {
    const message = Buffer.from(encode());
    for (const socket of server.clients) socket.send(message, { binary: false });
  };
}

export const hosts: Record<Candidate, (http: HttpServer) => Broadcast> = {
  "ws send": (http) => bareWs(http, false),
  "ws frame": (http) => bareWs(http, true),
  default: (http) => socketIo(http, {}),
  coalesced: (http) => socketIo(http, { adapter: createFanoutAdapter({ socketsPerSlice: Infinity }) }),
  sliced: (http) => socketIo(http, { adapter: createFanoutAdapter() }),
  slim: (http) => socketIo(http, { adapter: createFanoutAdapter() }, true),
};
