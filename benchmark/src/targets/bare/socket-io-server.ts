import { createAdapter, setupPrimary } from "@socket.io/cluster-adapter";
import cluster from "node:cluster";
import { createServer } from "node:http";
import { Server } from "socket.io";
import { AUDIENCE, messageCreated, SENDER, serveParent, servePrimary } from "./server.ts";

/**
 * Bare Socket.IO: no login, no checks, no storage; a room broadcast as in its documentation. The arguments are the port and the
 * number of processes: with several, they share the port and pass broadcasts to each other through Node's cluster module.
 */
const [port, processes] = process.argv.slice(2).map(Number) as [number, number];

if (processes > 1 && cluster.isPrimary) {
  setupPrimary();
  servePrimary(processes);
} else {
  serve();
}

function serve(): void {
  const http = createServer();
  const io = new Server(http, {
    transports: ["websocket"],
    serveClient: false,
    ...(processes > 1 ? { adapter: createAdapter() } : {}),
  });
  // Only one connection sends, so a single process numbers the messages.
  let seq = 0;
  io.on("connection", async (socket) => {
    if (socket.handshake.auth["role"] !== SENDER) {
      await socket.join(AUDIENCE);
      return;
    }
    socket.on("message.send", (content: string, acknowledge: () => void) => {
      io.to(AUDIENCE).emit(...messageCreated(content, ++seq));
      acknowledge();
    });
  });
  serveParent(http, port);
}
