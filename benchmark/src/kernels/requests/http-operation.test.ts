import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createOperation } from "./http-operation.ts";
import { openHttpThread } from "./http-thread.ts";
import { parseAnswer } from "./http-connection.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const CALL = { method: "POST", path: "/api/message.send", params: { channelId: "c" } } as const;

/** Sends messages with the numbers 0, 1, … to a server, and closes the connections. */
async function run(listener: RequestListener, { connections = 4, requests = 100, timeoutMs = 60_000 } = {}) {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const message = { runId: "run", payloadBytes: 40 };
  const setup = { url: `http://127.0.0.1:${port}`, connections, calls: [CALL], message };
  const thread = await openHttpThread(setup, new AbortController().signal);
  const outcome = await thread.run({ connections, requests, timeoutMs });
  return { ...outcome, lost: await thread.close() };
}

/** The number of the message in a request. */
async function numberIn(request: IncomingMessage): Promise<number> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return Number(/"nonce":"run-(\d+)"/.exec(body)![1]);
}

test("every request is made once, on keep-alive connections", async () => {
  const numbers = new Set<number>();
  const sockets = new Set<unknown>();
  const outcome = await run(async (request, response) => {
    sockets.add(request.socket);
    numbers.add(await numberIn(request));
    response.setHeader("content-length", 2).end("ok");
  });
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
  expect(numbers.size).toBe(100);
  expect(sockets.size).toBe(4);
});

test("rejections, timeouts and lost connections are counted separately", async () => {
  const outcome = await run(
    async (request, response) => {
      const number = await numberIn(request);
      if (number === 3) response.writeHead(503, { "content-length": 0 }).end();
      else if (number === 5) request.socket.destroy();
      else if (number !== 7) response.setHeader("content-length", 0).end();
    },
    { requests: 20, timeoutMs: 1500 },
  );
  expect(outcome).toMatchObject({ sent: 20, acknowledged: 17, refused: 1, unanswered: 2, missed: 0 });
  expect(outcome.refusals).toEqual({ HTTP_503: 1 });
  expect(outcome.failures).toEqual({ CONNECTION_CLOSED: 1, NO_ANSWER: 1 });
});

test("a connection waits as long as the server asks for, and goes on", async () => {
  const asked: number[] = [];
  const outcome = await run(
    async (request, response) => {
      asked.push(await numberIn(request));
      const error = { type: "BUSY", data: { retryAfterMs: 60 } };
      const body = asked.length === 1 ? JSON.stringify({ ok: false, error }) : "";
      response.writeHead(body === "" ? 200 : 503, { "content-length": body.length }).end(body);
    },
    { connections: 1, requests: 3 },
  );
  expect(outcome).toMatchObject({ sent: 3, acknowledged: 2, refused: 1, refusals: { BUSY: 1 } });
  expect(outcome.measuredMs).toBeGreaterThan(50);
  expect(asked).toEqual([0, 1, 2]);
});

test("connection refused: the run ends without a request", async () => {
  const setup = { url: "http://127.0.0.1:9", connections: 4, calls: [CALL] };
  const thread = await openHttpThread(setup, new AbortController().signal);
  const outcome = await thread.run({ connections: 4, requests: 5, timeoutMs: 1000 });
  expect(outcome).toMatchObject({ sent: 0, acknowledged: 0 });
  expect(await thread.close()).toEqual({ ECONNREFUSED: 16 });
});

test("a response of another length is an error", async () => {
  server = createServer((_, response) => void response.setHeader("content-length", 2).end("ok")).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const setup = {
    url: `http://127.0.0.1:${port}`,
    address: "127.0.0.1",
    localAddresses: [undefined],
    calls: [{ method: "GET", path: "/" } as const],
    bodyBytes: 3,
  };
  const operation = createOperation({ setup, worker: 0, workers: 1 });
  await operation.prepare();
  const outcome = await new Promise((resolve) => {
    operation.begin({ index: 0, sender: 0, isWarmUp: false, sentMs: 0 }, resolve);
  });
  operation.close();
  expect(outcome).toMatchObject({ ok: false, code: "WRONG_LENGTH" });
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
