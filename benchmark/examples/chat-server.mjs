// Your own Socket.IO server: everyone with a name gets every "chat message".
import { Server } from "socket.io";

const port = Number(process.env.PORT ?? 8080);
const io = new Server(port);

io.use((socket, next) => {
  const { token } = socket.handshake.auth;
  next(token?.startsWith("user-") ? undefined : new Error("NO_TOKEN"));
});

io.on("connection", (socket) => {
  socket.on("chat message", (text, acknowledge) => {
    io.emit("chat message", { text });
    acknowledge();
  });
});

console.log(`http://127.0.0.1:${port}`);
