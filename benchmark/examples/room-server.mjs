// A Socket.IO server with one room and no registration, as `--target socket.io --url …` expects it.
import { Server } from "socket.io";

const port = Number(process.env.PORT ?? 8080);
const io = new Server(port);

io.on("connection", async (socket) => {
  if (socket.handshake.auth.role !== "sender") await socket.join("room");
  socket.on("message.send", (content, acknowledge) => {
    io.to("room").emit("message.created", { messages: [{ content }] });
    acknowledge();
  });
});

console.log(`http://127.0.0.1:${port}`);
