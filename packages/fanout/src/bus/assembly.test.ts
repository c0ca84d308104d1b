import { expect, test } from "vitest";
import { Assembly, pieces } from "./assembly.ts";
import { Kind, type Message } from "./wire.ts";

function split(publisher: string, sequence: number, text: string, maxBytes: number): Message[] {
  const parts = [...pieces(Buffer.from(text), maxBytes)];
  return parts.map((part, index) => ({
    kind: Kind.cluster,
    publisher,
    sequence,
    publishedAtMs: 1,
    header: { rooms: [], piece: [index, parts.length] },
    body: Buffer.from(part),
  }));
}

test("pieces of several publishers are put together, whichever come in between", () => {
  const assembly = new Assembly();
  const a = split("a", 1, "0123456789", 4);
  const b = split("b", 1, "abcdefgh", 4);
  const order = [a[0]!, b[0]!, a[1]!, b[1]!, a[2]!];
  expect(order.map((message) => assembly.add(message)?.toString())).toEqual([
    undefined,
    undefined,
    undefined,
    "abcdefgh",
    "0123456789",
  ]);
  expect(assembly.size).toBe(0);
});

test("what lacks a piece is forgotten", () => {
  const assembly = new Assembly();
  const [first, , third] = split("a", 1, "0123456789", 4);
  expect([first!, third!].map((message) => assembly.add(message))).toEqual([null, null]);
  expect(assembly.add(third!)).toBeNull();
  expect(assembly.size).toBe(0);
  const again = split("a", 2, "0123456789", 4);
  expect(
    again
      .map((message) => assembly.add(message))
      .at(-1)
      ?.toString(),
  ).toBe("0123456789");
});
