import { createServer } from "node:http";
import { Server } from "socket.io";
import { serveParent } from "./child.ts";
import { AUDIENCE, messageCreated, SENDER } from "./messages.ts";

/** Bare Socket.IO: no login, no checks, no storage; a room broadcast as in its documentation. */
const http = createServer();
const io = new Server(http, { transports: ["websocket"], serveClient: false });
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

serveParent(http);
