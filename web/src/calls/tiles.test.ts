import { describe, expect, test } from "vitest";
import { type Choosable, gridColumns, largeTile } from "./tiles.ts";

const tile = (key: string, more: Partial<Choosable> = {}): Choosable => ({
  key,
  isOwn: false,
  isScreen: false,
  isSpeaking: false,
  ...more,
});

describe("the large picture", () => {
  const own = tile("own", { isOwn: true, isSpeaking: true });
  const large = (tiles: Choosable[], pinned: string | null = null, last: string | null = null) =>
    largeTile(tiles, pinned, last)?.key;

  test("is the pinned one, even if a screen is shared", () => {
    expect(large([tile("screen", { isScreen: true }), tile("a"), own], "a")).toBe("a");
    expect(large([tile("screen", { isScreen: true }), tile("a"), own])).toBe("screen");
  });

  test("prefers the screen of another person to one's own", () => {
    const screens = [
      tile("ownScreen", { isScreen: true, isOwn: true }),
      tile("otherScreen", { isScreen: true }),
    ];
    expect(large(screens)).toBe("otherScreen");
    expect(large(screens.slice(0, 1))).toBe("ownScreen");
  });

  test("follows the other people who speak, and stays with the last one", () => {
    const speaking = { isSpeaking: true };
    expect(large([tile("a"), tile("b", speaking), own])).toBe("b");
    expect(large([tile("a", speaking), tile("b", speaking), own], null, "b")).toBe("b");
    expect(large([tile("a"), tile("b"), own], null, "b")).toBe("b");
  });

  test("is the user only without anyone else", () => {
    expect(large([own])).toBe("own");
    expect(large([tile("a"), own])).toBe("a");
    expect(large([])).toBeUndefined();
  });
});

describe("the columns of the grid", () => {
  test("a wide area has more columns than rows, a high one the opposite", () => {
    expect(gridColumns(2, 1200, 500)).toBe(2);
    expect(gridColumns(2, 400, 700)).toBe(1);
    expect(gridColumns(4, 1200, 700)).toBe(2);
    expect(gridColumns(9, 1200, 700)).toBe(3);
  });

  test("there is at least one", () => {
    expect([gridColumns(0, 1000, 500), gridColumns(1, 0, 0)]).toEqual([1, 1]);
  });
});
