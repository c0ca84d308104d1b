import { createServer } from "node:http";
import { Server } from "socket.io";

// The baseline for the gateway: Socket.IO with the same transport and nothing else.
const http = createServer();
new Server(http, { transports: ["websocket"], serveClient: false }).on("connection", (socket) => {
  void socket.join("everybody");
  socket.emit("ready", {});
});
http.listen(Number(process.env["PORT"]), "127.0.0.1");
