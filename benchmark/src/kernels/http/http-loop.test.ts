import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { HttpLoop, type HttpLoopOptions } from "./http-loop.ts";
import { encodeRequest, parseAnswer } from "./light-http.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function loop(listener: RequestListener, options: Partial<HttpLoopOptions> = {}) {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return new HttpLoop({
    place: { host: "127.0.0.1", port },
    concurrency: 4,
    requests: 100,
    durationMs: 10_000,
    timeoutMs: 1000,
    request: (index) => encodeRequest("POST", "/echo", "localhost", {}, `hello ${index}`),
    faultOf: ({ status }) => (status === 200 ? undefined : { code: `HTTP_${status}`, waitMs: 0 }),
    signal: new AbortController().signal,
    ...options,
  });
}

test("every request is made once, on keep-alive connections", async () => {
  const bodies: string[] = [];
  const sockets = new Set<unknown>();
  const run = await loop(async (request, response) => {
    sockets.add(request.socket);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.setHeader("content-length", 2).end("ok");
  });
  const outcome = await run.run();
  expect(outcome).toMatchObject({
    sent: 100,
    acknowledged: 100,
    refused: 0,
    unanswered: 0,
    refusals: {},
    failures: {},
  });
  expect(outcome.latenciesMs.length).toBe(100);
  expect(outcome.latenciesMs.every((ms) => ms > 0)).toBe(true);
  expect(new Set(bodies).size).toBe(100);
  expect(sockets.size).toBe(4);
});

test("rejections, timeouts and lost connections are counted separately", async () => {
  const run = await loop(
    (request, response) => {
      const index = Number(/\d+$/.exec(request.url ?? "")?.[0]);
      if (index === 3) response.writeHead(503, { "content-length": 0 }).end();
      else if (index === 5) request.socket.destroy();
      else if (index !== 7) response.setHeader("content-length", 0).end();
    },
    { requests: 20, timeoutMs: 300, request: (index) => encodeRequest("GET", `/${index}`, "localhost") },
  );
  const outcome = await run.run();
  expect(outcome).toMatchObject({ sent: 20, acknowledged: 17, refused: 1, unanswered: 2 });
  expect(outcome.refusals).toEqual({ HTTP_503: 1 });
  expect(outcome.failures).toEqual({ CONNECTION_CLOSED: 1, NO_ANSWER: 1 });
});

test("a connection waits for Retry-After, and the others continue", async () => {
  const asked: string[] = [];
  const run = await loop(
    (request, response) => {
      asked.push(request.url!);
      response.writeHead(request.url === "/0" ? 503 : 200, { "content-length": 0 }).end();
    },
    {
      concurrency: 1,
      requests: 3,
      request: (index) => encodeRequest("GET", `/${index}`, "localhost"),
      faultOf: ({ status }) => (status === 200 ? undefined : { code: "BUSY", waitMs: 60 }),
    },
  );
  const outcome = await run.run();
  expect(outcome).toMatchObject({ sent: 3, acknowledged: 2, refused: 1, refusals: { BUSY: 1 } });
  expect(outcome.measuredMs).toBeGreaterThan(50);
  expect(asked).toEqual(["/0", "/1", "/2"]);
});

test("connection refused", async () => {
  const run = await loop(() => {}, { place: { host: "127.0.0.1", port: 9 }, requests: 5 });
  expect(await run.run()).toMatchObject({ sent: 0, acknowledged: 0, failures: { ECONNREFUSED: 16 } });
});

test("a response in several chunks", () => {
  const whole = Buffer.from("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello");
  for (let length = 0; length < whole.length; length++)
    expect(parseAnswer(whole.subarray(0, length))).toBeUndefined();
  expect(parseAnswer(whole)).toEqual({ status: 201, body: Buffer.from("hello") });
});

test.each([
  ["SSH-2.0-OpenSSH\r\n\r\n", "NOT_HTTP"],
  ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "HTTP_WITHOUT_LENGTH"],
  ["HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab", "HTTP_TOO_MUCH"],
])("rejects %j", (text, code) => {
  expect(parseAnswer(Buffer.from(text))).toBe(code);
});
