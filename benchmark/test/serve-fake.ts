import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
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
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const { socketPath: path = "/none", frameBytes: maxPayload = 0 } = fake;
  const sockets = new WebSocketServer({ server: http, path, maxPayload });
  sockets.on("connection", (socket) => {
    // Such as a frame that is too long.
    socket.on("error", () => {});
    fake.connected?.(socket);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
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
