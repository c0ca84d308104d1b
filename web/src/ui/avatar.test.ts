import { describe, expect, test } from "vitest";
import { initial, avatarTint } from "./display.tsx";

describe("initial", () => {
  test("returns the first grapheme", () => {
    expect(initial(" ada")).toBe("A");
    expect(initial("👩‍🚀 crew")).toBe("👩‍🚀");
    expect(initial("火箭")).toBe("火");
    expect(initial("")).toBe("");
  });
});

describe("avatarTint", () => {
  test("is stable per ID and below the count", () => {
    const tints = Array.from({ length: 200 }, (_, i) => avatarTint(`66f0${i}`, 6));
    expect(new Set(tints)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(avatarTint("abc", 6)).toBe(avatarTint("abc", 6));
  });
});
