import { expect, test } from "vitest";
import { createHandshake, readHandshakeAnswer } from "./light-socket.ts";

const { accept, request } = createHandshake(
  new URL("http://127.0.0.1:3000"),
  "/socket.io/?EIO=4&transport=websocket",
);
const answer = (status: string, header: string) =>
  readHandshakeAnswer(
    Buffer.from(`HTTP/1.1 ${status}\r\nUpgrade: websocket\r\n${header}\r\n\r\nrest`),
    accept,
  );

test("the request names path and host", () => {
  expect(request.toString()).toMatch(
    /^GET \/socket\.io\/\?EIO=4&transport=websocket HTTP\/1\.1\r\nhost: 127\.0\.0\.1:3000\r\n/,
  );
});

test("an accepted handshake says where the frames start", () => {
  const header = `sec-websocket-accept: ${accept}`;
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n${header}\r\n\r\n`;
  expect(answer("101 Switching Protocols", header)).toEqual({ headBytes: head.length });
});

test("any other answer is returned as a code", () => {
  expect(answer("429 Too Many Requests", "x: y")).toEqual({ error: "HTTP_429" });
  expect(answer("101 Switching Protocols", "Sec-WebSocket-Accept: other")).toEqual({
    error: "BAD_WEBSOCKET_ACCEPT",
  });
  expect(readHandshakeAnswer(Buffer.from("SSH-2.0\r\n\r\n"), accept)).toEqual({ error: "NOT_HTTP" });
  expect(readHandshakeAnswer(Buffer.alloc(17_000, "x"), accept)).toEqual({ error: "HTTP_HEAD_TOO_LONG" });
  expect(readHandshakeAnswer(Buffer.from("HTTP/1.1 101"), accept)).toBeUndefined();
});
