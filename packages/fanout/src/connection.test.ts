import { expect, test } from "vitest";
import { type EncodedPacket, Extension } from "./connection.ts";

const packet = (text: string): EncodedPacket => ({ text, frame: Buffer.from(text), args: [text] });

test("sockets with the same pending packets share one batch and its bytes", () => {
  const first = new Extension([packet("a")]);
  const second = new Extension([packet("b"), packet("c")]);
  const one = second.of(first.of(null));
  const other = second.of(first.of(null));
  expect(one).toBe(other);
  expect(one.bytes).toBe(other.bytes);
  expect(one.bytes.toString()).toBe("abc");
  expect(one.packets.map(({ text }) => text)).toEqual(["a", "b", "c"]);
});

test("a socket without pending packets gets only the new ones", () => {
  const first = new Extension([packet("a")]);
  const second = new Extension([packet("b")]);
  const waiting = first.of(null);
  expect(second.of(null).bytes.toString()).toBe("b");
  expect(second.of(waiting).bytes.toString()).toBe("ab");
  expect(second.of(null)).not.toBe(second.of(waiting));
});

test("a single packet is written without copying", () => {
  const only = packet("a");
  expect(new Extension([only]).of(null).bytes).toBe(only.frame);
});
