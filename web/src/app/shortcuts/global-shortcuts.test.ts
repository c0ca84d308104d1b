import { expect, test } from "vitest";
import { nextOf } from "./global-shortcuts.tsx";

const list = ["a", "b", "c"].map((id) => ({ id }));
const next = (currentId: string | null, by: 1 | -1, wanted = "abc") =>
  nextOf(list, currentId, by, ({ id }) => wanted.includes(id))?.id;

test("up and down, around at both ends", () => {
  expect([next("a", 1), next("c", 1), next("c", -1), next("a", -1)]).toEqual(["b", "a", "b", "c"]);
});

test("only what is wanted, and never where one is", () => {
  expect(next("a", 1, "c")).toBe("c");
  expect(next("b", 1, "b")).toBeUndefined();
});

test("from elsewhere to the first or the last one", () => {
  expect([next(null, 1), next("x", -1)]).toEqual(["a", "c"]);
});
