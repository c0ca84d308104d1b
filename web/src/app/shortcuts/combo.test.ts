import { describe, expect, test } from "vitest";
import { isCombo, keysOf, needsNoField, type Keys } from "./shortcuts.ts";

const press = (key: string, more: Partial<Keys> = {}): Keys => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe("isCombo", () => {
  test("mod is Ctrl, and Command on Apple devices", () => {
    expect(isCombo("mod+k", press("k", { ctrlKey: true }), false)).toBe(true);
    expect(isCombo("mod+k", press("k", { metaKey: true }), false)).toBe(false);
    expect(isCombo("mod+k", press("k", { metaKey: true }), true)).toBe(true);
    expect(isCombo("mod+k", press("k", { ctrlKey: true }), true)).toBe(false);
  });

  test("requires exactly these keys, regardless of case", () => {
    expect(isCombo("mod+Shift+m", press("M", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(isCombo("mod+k", press("K", { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(isCombo("Alt+ArrowUp", press("ArrowUp", { altKey: true, shiftKey: true }), false)).toBe(false);
    expect(isCombo("Escape", press("Escape"), false)).toBe(true);
  });

  test("matches symbols regardless of the keyboard layout", () => {
    expect(isCombo("?", press("?", { shiftKey: true }), false)).toBe(true);
    expect(isCombo("?", press("?"), false)).toBe(true);
    expect(isCombo("mod+/", press("/", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  });

  test("compares the physical key when Alt is pressed", () => {
    expect(isCombo("Alt+1", press("¡", { altKey: true, code: "Digit1" }), true)).toBe(true);
    expect(isCombo("Alt+i", press("ˆ", { altKey: true, code: "KeyI" }), true)).toBe(true);
  });

  test("compares the physical key of a digit when Shift is pressed", () => {
    const pressed = press("*", { ctrlKey: true, shiftKey: true, code: "Digit8" });
    expect(isCombo("mod+Shift+8", pressed, false)).toBe(true);
    expect(isCombo("mod+Shift+7", pressed, false)).toBe(false);
  });
});

test("combos that could be typed are left to text fields", () => {
  const typed = (combos: string[], isApple: boolean) =>
    combos.filter((combo) => needsNoField(combo, isApple));
  for (const isApple of [false, true]) {
    expect(typed(["?", "Escape", "Shift+Escape"], isApple)).toHaveLength(3);
    expect(typed(["mod+k", "mod+Shift+m", "Alt+ArrowUp", "Alt+Shift+ArrowUp"], isApple)).toEqual([]);
  }
  // Option types characters: Option+2 is @ on Spanish keyboards, Option+Shift+L is Ł on Polish ones.
  expect(typed(["Alt+2", "Alt+Shift+l"], true)).toHaveLength(2);
  expect(typed(["Alt+2", "Alt+Shift+l"], false)).toEqual([]);
});

test("keys are labeled as on the keyboard", () => {
  expect(keysOf("mod+Shift+m", false)).toEqual(["Ctrl", "Shift", "M"]);
  expect(keysOf("mod+k", true)).toEqual(["⌘", "K"]);
  expect(keysOf("+", true)).toEqual(["+"]);
});
