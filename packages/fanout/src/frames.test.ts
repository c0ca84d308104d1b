import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket as NetSocket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { FrameParser, MAX_MESSAGE_BYTES, Opcode, textFrame } from "./frames.ts";

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

/** Returns what a client receives when `frame` is written to its connection. */
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

function frame(opcode: number, payload: string | Buffer, { final = true, wide = false } = {}): Buffer {
  const body = Buffer.from(payload);
  const header = wide || body.length > 0xffff ? Buffer.alloc(10) : Buffer.alloc(body.length < 126 ? 2 : 4);
  header[0] = (final ? 0x80 : 0) | opcode;
  if (header.length === 2) {
    header[1] = body.length;
  } else if (header.length === 4) {
    header[1] = 126;
    header.writeUInt16BE(body.length, 2);
  } else {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([header, body]);
}

function parse(chunks: Buffer[]): [number, string][] {
  const parser = new FrameParser();
  const seen: [number, string][] = [];
  const shared = Buffer.alloc(256 * 1024);
  for (const chunk of chunks) {
    // Reuses the same memory for every read, as the receiver does, to check that the parser copies what it stores.
    shared.fill(0xee);
    chunk.copy(shared, 7);
    parser.push(shared, 7, 7 + chunk.length, (opcode, bytes, start, end) =>
      seen.push([opcode, bytes.toString("utf8", start, end)]),
    );
  }
  return seen;
}

const stream = Buffer.concat([
  frame(Opcode.text, "2"),
  frame(Opcode.text, "é".repeat(70)),
  frame(Opcode.text, "frag", { final: false }),
  frame(Opcode.ping, "p"),
  frame(Opcode.continuation, "men", { final: false }),
  frame(Opcode.continuation, "ted"),
  frame(Opcode.text, ""),
  frame(Opcode.binary, "wide", { wide: true }),
  frame(Opcode.close, ""),
]);
const messages = [
  [Opcode.text, "2"],
  [Opcode.text, "é".repeat(70)],
  [Opcode.ping, "p"],
  [Opcode.text, "fragmented"],
  [Opcode.text, ""],
  [Opcode.binary, "wide"],
  [Opcode.close, ""],
];

describe("FrameParser", () => {
  test("a stream in one read", () => {
    expect(parse([stream])).toEqual(messages);
  });

  test("a stream split at every position", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(parse([stream.subarray(0, cut), stream.subarray(cut)]), `cut at ${cut}`).toEqual(messages);
    }
  });

  test("a stream split at every pair of positions", () => {
    for (let one = 0; one <= stream.length; one++) {
      for (let two = one; two <= stream.length; two++) {
        const chunks = [stream.subarray(0, one), stream.subarray(one, two), stream.subarray(two)];
        expect(parse(chunks)).toEqual(messages);
      }
    }
  });

  test("a stream byte by byte", () => {
    expect(parse(Array.from(stream, (byte) => Buffer.of(byte)))).toEqual(messages);
  });

  test("a message longer than one read", () => {
    const long = "x".repeat(200_000);
    const bytes = Buffer.concat([frame(Opcode.text, long), frame(Opcode.text, "after")]);
    const chunks = [];
    for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
    expect(parse(chunks)).toEqual([
      [Opcode.text, long],
      [Opcode.text, "after"],
    ]);
  });

  const huge = Buffer.alloc(10);
  huge[0] = 0x81;
  huge[1] = 127;
  huge.writeBigUInt64BE(BigInt(MAX_MESSAGE_BYTES + 1), 2);
  test.each([
    ["MASKED_BY_SERVER", Buffer.of(0x81, 0x80, 0, 0, 0, 0)],
    ["RESERVED_BITS", Buffer.of(0xc1, 0)],
    ["UNKNOWN_OPCODE", Buffer.of(0x83, 0)],
    ["CONTINUATION_OF_NOTHING", frame(Opcode.continuation, "x")],
    ["BAD_CONTROL_FRAME", frame(Opcode.ping, "x", { final: false })],
    [
      "MESSAGE_INSIDE_FRAGMENTS",
      Buffer.concat([frame(Opcode.text, "a", { final: false }), frame(Opcode.text, "b")]),
    ],
    ["MESSAGE_TOO_LARGE", huge],
  ])("%s is an error", (code, bytes) => {
    expect(() => parse([bytes])).toThrow(expect.objectContaining({ code }));
  });
});
