import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { EVENT, PAYLOAD } from "../protocol.ts";
import { gateways } from "./candidates.ts";
import { type Candidate, type FromGateway, OTHER_ROOM, ROOM, type ToGateway } from "./protocol.ts";

/** node gateway.ts CANDIDATE BROKER [other]: with `other`, its sockets are not in the published room. */

const [candidate, url, room] = process.argv.slice(2) as [Candidate, string, string | undefined];
const send = (message: FromGateway): void => void process.send!(message);

let messages = 0;
const { adapter, watch } = await gateways[candidate](url, () => void messages++);
const http = createServer();
// No heartbeats during a run, because they would disturb the rounds of other candidates.
const io = new Server(http, { transports: ["websocket"], pingInterval: 3_600_000, adapter });
watch?.(io);
io.on("connection", (socket) => {
  void socket.join([room === "other" ? OTHER_ROOM : ROOM, `user:${socket.id}`]);
});

process.on("message", (message: ToGateway) => {
  if (message.kind === "count") {
    send({ kind: "count", messages });
    return;
  }
  const at = process.hrtime.bigint();
  for (let i = 0; i < message.messages; i++) io.to(ROOM).emit(EVENT, PAYLOAD);
  send({ kind: "started", at: String(at) });
});
process.on("disconnect", () => process.exit());

http.listen(0, "127.0.0.1", 4096, () => {
  send({ kind: "listening", port: (http.address() as AddressInfo).port });
});
