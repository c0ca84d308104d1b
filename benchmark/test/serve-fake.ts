import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer, type WebSocket } from "ws";

/** Every second request takes this long, so that requests at the same time overtake each other. */
const SLOW_MS = 2;

export interface FakeRequest {
  /** The method and the path, for example "GET /api/users". */
  route: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** An answer: thrown for failures. */
export class Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers: Record<string, string>;

  constructor(status: number, body: object | string, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

interface FakeServer {
  /** @throws {Answer} */
  answer(request: FakeRequest): Promise<Answer> | Answer;
  /** undefined: no WebSocket. */
  socketPath?: string;
  /** The longest frame of a client. */
  frameBytes?: number;
  connected?(socket: WebSocket): void;
  /** Adds another server to this one, such as Socket.IO. */
  attach?(http: Server): void;
}

/** Listens on a free port. @returns its URL */
export async function listen(http: Server): Promise<string> {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Serves a fake chat server: an HTTP API with JSON, and a WebSocket. */
export async function serveFake(fake: FakeServer): Promise<{ url: string; close(): Promise<void> }> {
  let requests = 0;
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (requests++ % 2 === 0) await sleep(SLOW_MS);
    const { pathname, searchParams } = new URL(request.url!, "http://fake");
    const text = Buffer.concat(chunks).toString();
    const answer = async () =>
      fake.answer({
        route: `${request.method} ${pathname}`,
        query: searchParams,
        headers: request.headers,
        body: bodyOf(text, request.headers),
      });
    const { status, body, headers } = await answer().catch((error: unknown) => {
      if (error instanceof Answer) return error;
      throw error;
    });
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    const length = { "content-length": Buffer.byteLength(sent) };
    response.writeHead(status, { ...length, ...headers }).end(sent);
  });
  const { socketPath: path, frameBytes: maxPayload = 0 } = fake;
  if (path !== undefined)
    new WebSocketServer({ server: http, path, maxPayload }).on("connection", (socket) => {
      // Such as a frame that is too long.
      socket.on("error", () => {});
      fake.connected?.(socket);
    });
  fake.attach?.(http);
  const connections = new Set<Socket>();
  http.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return {
    url: await listen(http),
    async close() {
      for (const socket of connections) socket.destroy();
      http.close();
      await once(http, "close");
    },
  };
}

function bodyOf(text: string, headers: IncomingHttpHeaders): Record<string, unknown> {
  if (text === "") return {};
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  return isForm
    ? Object.fromEntries(new URLSearchParams(text))
    : (JSON.parse(text) as Record<string, unknown>);
}
