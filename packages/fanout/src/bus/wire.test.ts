import { expect, test } from "vitest";
import {
  Assembly,
  cut,
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

const pieces = (id: string, text: string, maxBytes: number) => [...cut(id, Buffer.from(text), maxBytes)];

test("reassembles messages from interleaved pieces", () => {
  const assembly = new Assembly();
  const a = pieces("a", "0123456789", 4);
  const b = pieces("b", "abcdefgh", 4);
  expect(a.map(([, body]) => body.length)).toEqual([4, 4, 2]);
  const order = [a[0]!, b[0]!, a[1]!, b[1]!, a[2]!];
  expect(order.map((piece) => assembly.add(...piece)?.toString())).toEqual([
    undefined,
    undefined,
    undefined,
    "abcdefgh",
    "0123456789",
  ]);
  expect(assembly.size).toBe(0);
});

test("discards a message with a missing or misplaced piece", () => {
  const assembly = new Assembly();
  const [first, second, third] = pieces("a", "0123456789", 4);
  expect([second!, third!].map((piece) => assembly.add(...piece))).toEqual([null, null]);
  expect([first!, third!, third!].map((piece) => assembly.add(...piece))).toEqual([null, null, null]);
  expect(assembly.size).toBe(0);
  assembly.add(...first!);
  assembly.clear();
  expect([second!, third!].map((piece) => assembly.add(...piece))).toEqual([null, null]);
  const again = [first!, second!, third!].map((piece) => assembly.add(...piece));
  expect(again.at(-1)?.toString()).toBe("0123456789");
});

test("limits the memory of incomplete messages", () => {
  const assembly = new Assembly();
  for (let n = 0; n < 2000; n++) assembly.add({ id: `${n}`, index: 0, count: 2 }, Buffer.of(1));
  expect(assembly.size).toBe(1000);
  expect(assembly.add({ id: "0", index: 1, count: 2 }, Buffer.of(2))).toBeNull();
  expect(assembly.add({ id: "1999", index: 1, count: 2 }, Buffer.of(2))).toEqual(Buffer.of(1, 2));
  const large = Buffer.alloc(100 * 1_048_576);
  for (const id of ["x", "y", "z"]) assembly.add({ id, index: 0, count: 2 }, large);
  expect(assembly.size).toBe(2);
});
