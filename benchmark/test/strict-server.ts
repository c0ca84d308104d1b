import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer, type WebSocket } from "ws";
import { listen } from "./serve-fake.ts";

const POLL_MS = 200;

export interface StrictServer {
  url: string;
  /** Reject the last step with this text. */
  refuse: string | undefined;
  /** Close every member with this code instead of delivering a message. */
  closeWith: number | undefined;
  /** The status of answers to polls. */
  pollStatus: number;
  close(): void;
}

/**
 * A server that is as demanding as real ones: a WebSocket with a token in the query and a cookie, binary answers, a login and a
 * subscription as separate steps, pings in frames, heartbeats of the client, and several events in one frame. The same messages are
 * available by long polling.
 */
export async function startStrictServer(): Promise<StrictServer> {
  const server: StrictServer = {
    url: "",
    refuse: undefined,
    closeWith: undefined,
    pollStatus: 200,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      http.close();
    },
  };
  const online = new Set<WebSocket>();
  const heard = new Map<WebSocket, number>();
  const answered = new Set<WebSocket>();
  const texts: string[] = [];
  const waiting: (() => void)[] = [];
  const sockets = new WebSocketServer({ noServer: true });

  sockets.on("connection", (socket: WebSocket, token: string) => {
    socket.on("close", () => online.delete(socket));
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      const frame = isBinary ? `binary ${data.toString("hex")}` : data.toString();
      if (frame === "binary beef") heard.set(socket, (heard.get(socket) ?? 0) + 1);
      else if (frame === "pong") answered.add(socket);
      else if (frame === `login ${token}`) socket.send(Buffer.from([0xca, 0xfe]));
      else if (frame !== `subscribe as ${token}`) socket.close(4000, "unexpected frame");
      else if (server.refuse !== undefined) socket.send(JSON.stringify([{ type: "no", why: server.refuse }]));
      else {
        online.add(socket);
        socket.send(JSON.stringify([{ type: "subscribed" }, { type: "ping" }]));
      }
    });
  });

  /** Nothing is delivered to clients that are silent. */
  const publish = async (text: string) => {
    while ([...online].some((socket) => (heard.get(socket) ?? 0) < 2 || !answered.has(socket)))
      await sleep(20);
    texts.push(text);
    for (const wake of waiting.splice(0)) wake();
    for (const socket of online) {
      if (server.closeWith === undefined)
        socket.send(JSON.stringify([{ type: "ping" }, { type: "message", text }]));
      else socket.close(server.closeWith === 1005 ? undefined : server.closeWith);
    }
  };

  const http = createServer(async (request, response) => {
    const url = new URL(request.url!, server.url);
    if (url.pathname === "/publish") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await publish(Buffer.concat(chunks).toString());
      return response.end();
    }
    const after = url.searchParams.get("after");
    if (server.pollStatus !== 200) return response.writeHead(server.pollStatus).end();
    if (request.headers.authorization?.startsWith("Bearer user") !== true)
      return response.writeHead(401).end();
    if (after !== null && texts.length <= Number(after)) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, POLL_MS);
      });
    }
    response.end(JSON.stringify({ texts: texts.slice(Number(after ?? texts.length)), next: texts.length }));
  });
  http.on("upgrade", (request, socket, head) => {
    const token = /^\/chat\?token=(user-\d+)$/.exec(request.url!)?.[1];
    if (token === undefined || request.headers.cookie !== "theme=dark")
      return socket.end("HTTP/1.1 403 No\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (client) =>
      sockets.emit("connection", client, decodeURIComponent(token)),
    );
  });
  server.url = await listen(http);
  return server;
}
