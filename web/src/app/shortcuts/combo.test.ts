import { describe, expect, test } from "vitest";
import { isCombo, keysOf, needsNoField, type Keys } from "./shortcuts.ts";

const press = (key: string, more: Partial<Keys> = {}): Keys => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...more,
});

describe("isCombo", () => {
  test("mod is Ctrl, and the command key on Apple's", () => {
    expect(isCombo("mod+k", press("k", { ctrlKey: true }), false)).toBe(true);
    expect(isCombo("mod+k", press("k", { metaKey: true }), false)).toBe(false);
    expect(isCombo("mod+k", press("k", { metaKey: true }), true)).toBe(true);
    expect(isCombo("mod+k", press("k", { ctrlKey: true }), true)).toBe(false);
  });

  test("exactly these keys, whatever the case", () => {
    expect(isCombo("mod+Shift+m", press("M", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(isCombo("mod+k", press("K", { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(isCombo("Alt+ArrowUp", press("ArrowUp", { altKey: true, shiftKey: true }), false)).toBe(false);
    expect(isCombo("Escape", press("Escape"), false)).toBe(true);
  });

  test("a sign, however the keyboard makes it", () => {
    expect(isCombo("?", press("?", { shiftKey: true }), false)).toBe(true);
    expect(isCombo("?", press("?"), false)).toBe(true);
    expect(isCombo("mod+/", press("/", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  });

  test("with Alt the place of a key counts, for it may give another character", () => {
    expect(isCombo("Alt+1", press("¡", { altKey: true, code: "Digit1" }), true)).toBe(true);
    expect(isCombo("Alt+i", press("ˆ", { altKey: true, code: "KeyI" }), true)).toBe(true);
  });

  test("nothing while characters are composed", () => {
    expect(isCombo("?", press("?", { isComposing: true }), false)).toBe(false);
  });
});

test("what could be typed is left to a field", () => {
  expect(["?", "Escape", "Shift+Escape"].map(needsNoField)).toEqual([true, true, true]);
  expect(["mod+k", "Alt+ArrowUp"].map(needsNoField)).toEqual([false, false]);
});

test("keys are named as on the keyboard", () => {
  expect(keysOf("mod+Shift+m", false)).toEqual(["Ctrl", "Shift", "M"]);
  expect(keysOf("mod+k", true)).toEqual(["⌘", "K"]);
  expect(keysOf("+", true)).toEqual(["+"]);
});
