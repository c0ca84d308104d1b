import { describe, expect, test } from "vitest";
import { initial, tintOf } from "./display.tsx";

describe("initial", () => {
  test("returns the first grapheme", () => {
    expect(initial(" ada")).toBe("A");
    expect(initial("👩‍🚀 crew")).toBe("👩‍🚀");
    expect(initial("火箭")).toBe("火");
    expect(initial("")).toBe("");
  });
});

describe("tintOf", () => {
  test("is stable per ID and below the count", () => {
    const tints = Array.from({ length: 200 }, (_, i) => tintOf(`66f0${i}`, 6));
    expect(new Set(tints)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(tintOf("abc", 6)).toBe(tintOf("abc", 6));
  });
});
