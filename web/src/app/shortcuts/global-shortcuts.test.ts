import { expect, test } from "vitest";
import { findNext } from "./global-shortcuts.tsx";

const list = ["a", "b", "c"].map((id) => ({ id }));
const next = (currentId: string | null, by: 1 | -1, wanted = "abc") =>
  findNext(list, currentId, by, ({ id }) => wanted.includes(id))?.id;

test("moves up and down and wraps around", () => {
  expect([next("a", 1), next("c", 1), next("c", -1), next("a", -1)]).toEqual(["b", "a", "b", "c"]);
});

test("skips unwanted items and the current one", () => {
  expect(next("a", 1, "c")).toBe("c");
  expect(next("b", 1, "b")).toBeUndefined();
});

test("starts at the first or last item if there is no current one", () => {
  expect([next(null, 1), next("x", -1)]).toEqual(["a", "c"]);
});
