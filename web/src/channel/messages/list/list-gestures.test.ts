import type { Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { MAX_SELECTED } from "../conversation.ts";
import { withRange } from "./list-gestures.tsx";

const messages = Array.from({ length: 2 * MAX_SELECTED }, (_, index) => ({
  id: `m${index}`,
  seq: index + 1,
}));
const all = messages as Message[];
const start = (index: number) => new Map([[all[index]!.id, all[index]!]]);
const ids = (from: number, to: number) => all.slice(from, to + 1).map(({ id }) => id);

test.each([
  ["later", 3, 6],
  ["earlier", 6, 3],
])("adds all up to a %s message", (_, from, to) => {
  const selected = withRange(start(from), all, all[to]!);
  expect([...selected.keys()].toSorted()).toEqual(ids(3, 6));
});

test("beyond the limit, keeps those next to the last selected one", () => {
  const selected = withRange(start(10), all, all.at(-1)!);
  expect([...selected.keys()]).toEqual(ids(10, 10 + MAX_SELECTED - 1));
});

test("the next range starts with the last selected message", () => {
  const selected = withRange(withRange(start(3), all, all[5]!), all, all[7]!);
  expect([...selected.keys()]).toEqual(ids(3, 7));
});
