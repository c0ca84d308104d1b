import { describe, expect, test } from "vitest";
import { initials, avatarTint } from "./display.tsx";

test("initials are those of the first and last word, or two of a single one", () => {
  expect(initials("Ada King Lovelace", 2)).toBe("AL");
  expect(initials(" ada", 2)).toBe("AD");
  expect(initials("ada lovelace", 1)).toBe("A");
  expect(initials("dome_control", 2)).toBe("DC");
  expect(initials("x", 2)).toBe("X");
  expect(initials("Ada (away)", 2)).toBe("A");
  expect(initials("", 2)).toBe("");
});

test("emoji and East Asian characters stand alone", () => {
  expect(initials("👩‍🚀 crew", 2)).toBe("👩‍🚀");
  expect(initials("Crew 👩‍🚀", 2)).toBe("C");
  expect(initials("火箭", 2)).toBe("火");
});

describe("avatarTint", () => {
  test("is stable per ID and below the count", () => {
    const tints = Array.from({ length: 200 }, (_, i) => avatarTint(`66f0${i}`, 6));
    expect(new Set(tints)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(avatarTint("abc", 6)).toBe(avatarTint("abc", 6));
  });
});
