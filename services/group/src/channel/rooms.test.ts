import { expect, test } from "vitest";
import { createPrivateGroups } from "./rooms.ts";

function createCache(having: string[]) {
  const lookups: (readonly string[])[] = [];
  const open: (() => void)[] = [];
  const groups = createPrivateGroups((groupIds) => {
    lookups.push(groupIds);
    const found = new Set(groupIds.filter((id) => having.includes(id)));
    return new Promise((resolve) => open.push(() => resolve(found)));
  });
  const among = async (...groupIds: string[]): Promise<string[]> => {
    const answer = groups.among(groupIds);
    open.pop()?.();
    return [...(await answer)];
  };
  return { lookups, open, groups, among };
}

test("looks up a group once, and again after it was invalidated", async () => {
  const having = ["a"];
  const { lookups, groups, among } = createCache(having);
  expect(await among("a", "b")).toEqual(["a"]);
  expect(await among("a", "b", "c")).toEqual(["a"]);
  having.push("b");
  groups.forget("b");
  expect(await among("a", "b", "c")).toEqual(["a", "b"]);
  expect(lookups).toEqual([["a", "b"], ["c"], ["b"]]);
  groups.forgetAll();
  await among("a", "b", "c");
  expect(lookups.at(-1)).toEqual(["a", "b", "c"]);
});

test("doesn't cache a lookup that overlaps with an invalidation", async () => {
  const having: string[] = [];
  const { lookups, open, groups, among } = createCache(having);
  const early = groups.among(["a"]);
  having.push("a");
  groups.forget("a");
  open.pop()?.();
  expect([...(await early)]).toEqual([]);
  expect(await among("a")).toEqual(["a"]);
  expect(lookups).toEqual([["a"], ["a"]]);
});
