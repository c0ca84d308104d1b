import { createServer } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { messageCreated, SENDER, serveParent } from "./server.ts";

/** Bare ws: one JSON text, encoded once, sent to each client in turn. The argument is the port. */
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false });
const audience = new Set<WebSocket>();
let seq = 0;

server.on("connection", (client, request) => {
  if (request.url !== `/${SENDER}`) {
    audience.add(client);
    client.on("close", () => audience.delete(client));
    client.on("error", () => client.terminate());
    return;
  }
  client.on("message", (data: Buffer) => {
    const [number, content] = JSON.parse(data.toString()) as [number, string];
    const text = Buffer.from(JSON.stringify(messageCreated(content, ++seq)));
    for (const receiver of audience) receiver.send(text, { binary: false });
    client.send(JSON.stringify(number));
  });
});

serveParent(http, Number(process.argv[2]));
