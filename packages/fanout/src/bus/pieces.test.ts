import { expect, test } from "vitest";
import { Assembly, cut } from "./pieces.ts";

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
