import { expect, test } from "vitest";
import { cut, PartCollector } from "./message-parts.ts";

const message = (length: number, fill: number): Buffer => Buffer.alloc(length, fill);

test("parts of several messages make the messages again", () => {
  const collector = new PartCollector();
  const a = [...cut(message(2500, 1), 1000)];
  const b = [...cut(message(2000, 2), 1000)];
  expect(a.map(([, part]) => part.length)).toEqual([1000, 1000, 500]);
  const order = [a[0]!, b[0]!, a[1]!, b[1]!, a[2]!];
  const made = order.map(([label, part]) => collector.add(label, part));
  expect(made).toEqual([undefined, undefined, undefined, message(2000, 2), message(2500, 1)]);
});

test("of a message whose beginning or middle was lost nothing is made", () => {
  const collector = new PartCollector();
  const [first, second, third] = [...cut(message(3000, 1), 1000)] as [
    [string, Buffer],
    [string, Buffer],
    [string, Buffer],
  ];
  expect(collector.add(...second)).toBeUndefined();
  expect(collector.add(...third)).toBeUndefined();
  collector.add(...first);
  expect(collector.add(...third)).toBeUndefined();
  collector.add(...first);
  collector.clear();
  collector.add(...second);
  expect(collector.add(...third)).toBeUndefined();
});
