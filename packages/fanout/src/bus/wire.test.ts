import { expect, test } from "vitest";
import {
  decodeEvent,
  decodeMessage,
  decodeParts,
  encodeEvent,
  encodeMessage,
  joinParts,
  Kind,
} from "./wire.ts";

const publisher = "\u0000\u00ff12345\u0080";

test("decoding reverses encoding", () => {
  const header = { rooms: ["é", "b"], except: ["c"], volatile: true, change: ["d"], close: false };
  const message = {
    kind: Kind.frame,
    publisher,
    sequence: 4_294_967_295,
    publishedAtMs: 1_795_000_000_000.125,
    header,
    body: Buffer.from("body"),
  };
  expect(decodeMessage(encodeMessage(message))).toEqual(message);
  const plain = encodeMessage({ ...message, kind: Kind.leave, header: null, body: Buffer.alloc(0) });
  expect(decodeMessage(new Uint8Array(plain))).toMatchObject({ header: null, body: Buffer.alloc(0) });
});

test("rejects truncated messages, other versions and arbitrary bytes", () => {
  const header = { rooms: ["a"] };
  const body = Buffer.from("body");
  const written = encodeMessage({
    kind: Kind.frame,
    publisher,
    sequence: 1,
    publishedAtMs: 1,
    header,
    body,
  });
  expect(() => decodeMessage(written.subarray(0, 25))).toThrow("version");
  expect(() => decodeMessage(written.subarray(0, 28))).toThrow("truncated");
  expect(() => decodeMessage(Buffer.concat([Buffer.from([1]), written.subarray(1)]))).toThrow("version");
  expect(() => decodeMessage(Buffer.alloc(0))).toThrow("version");
});

test("restores an event with binary parts", () => {
  const data = ["e", { one: Buffer.from([1]), two: [new Uint8Array([2, 3]), "é"] }, new ArrayBuffer(1)];
  const parts = encodeEvent("/space", data);
  expect(parts).toHaveLength(4);
  expect(decodeParts(joinParts(parts))).toEqual({
    type: 2,
    nsp: "/space",
    data: ["e", { one: Buffer.from([1]), two: [Buffer.from([2, 3]), "é"] }, Buffer.from([0])],
  });
  expect(() => decodeEvent(parts[0])).toThrow("binary parts");
});
