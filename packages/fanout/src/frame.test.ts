import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket as NetSocket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { textFrame } from "./frame.ts";

const http = createServer();
const server = new WebSocketServer({ server: http });
let client: WebSocket;
let connection: NetSocket;

server.on("connection", (_socket, request) => {
  connection = request.socket;
});

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  await once(client, "open");
});
afterAll(() => {
  client.terminate();
  http.close();
});

/** What a client reads when `frame` is written to its connection. */
async function readBack(frame: Buffer): Promise<string> {
  const message = once(client, "message") as Promise<[Buffer, boolean]>;
  connection.write(frame);
  const [data, isBinary] = await message;
  expect(isBinary).toBe(false);
  return data.toString();
}

describe("textFrame", () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 300_000]) {
    test(`${length} bytes`, async () => {
      const text = "x".repeat(length);
      expect(await readBack(textFrame(text))).toBe(text);
    });
  }

  test("the length counts bytes, not characters", async () => {
    const text = "é€😀".repeat(20);
    expect(await readBack(textFrame(text))).toBe(text);
  });
});
