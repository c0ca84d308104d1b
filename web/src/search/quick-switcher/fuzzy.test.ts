import { describe, expect, test } from "vitest";
import { fuzzyMatch } from "./quick-switcher.tsx";

/** Those that fit, the best first. */
const sorted = (query: string, ...texts: string[]) =>
  texts
    .flatMap((text) => {
      const match = fuzzyMatch(query, text);
      return match === null ? [] : [{ text, score: match.score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ text }) => text);

describe("fuzzyMatch", () => {
  test("the whole name, then its beginning, a word of it, a part of it, its characters with others between", () => {
    expect(sorted("lab", "collab", "rocket-lab", "labels", "lab", "long-abacus", "general")).toEqual([
      "lab",
      "labels",
      "rocket-lab",
      "collab",
      "long-abacus",
    ]);
  });

  test("the shorter of two that fit as well", () => {
    expect(sorted("gen", "generations", "general")).toEqual(["general", "generations"]);
  });

  test("every word, in any order", () => {
    expect(fuzzyMatch("lab rocket", "rocket lab")).not.toBeNull();
    expect(fuzzyMatch("lab moon", "rocket lab")).toBeNull();
  });

  test("says which characters were meant", () => {
    expect(fuzzyMatch("rl", "rocket-lab")?.at).toEqual([0, 7]);
    expect(fuzzyMatch("公告", "项目公告")?.at).toEqual([2, 3]);
  });

  test("characters out of order do not fit, and nothing typed fits all", () => {
    expect(fuzzyMatch("bal", "lab")).toBeNull();
    expect(fuzzyMatch("  ", "lab")).toMatchObject({ at: [] });
  });
});
