import { describe, expect, test } from "vitest";
import { keyName, talkOf } from "./push-to-talk.ts";

const down = (code: string, repeat = false) => ({ type: "keydown", code, repeat });
const up = (code: string) => ({ type: "keyup", code, repeat: false });

describe("push-to-talk", () => {
  test("turns the microphone on while the key is held", () => {
    expect(talkOf(down("F8"), "F8", false)).toBe(true);
    expect(talkOf(down("F8", true), "F8", false)).toBeNull();
    expect(talkOf(up("F8"), "F8", false)).toBe(false);
    expect(talkOf(down("F9"), "F8", false)).toBeNull();
  });

  test("works in text fields only with keys that don't type", () => {
    expect(talkOf(down("ControlRight"), "ControlRight", true)).toBe(true);
    expect(talkOf(down("KeyV"), "KeyV", true)).toBeNull();
    expect(talkOf(down("BracketLeft"), "BracketLeft", true)).toBeNull();
    expect(talkOf(down("ArrowLeft"), "ArrowLeft", true)).toBeNull();
  });

  test("turns the microphone off in a text field too", () => {
    expect(talkOf(up("KeyV"), "KeyV", true)).toBe(false);
  });
});

test("keys have the names that are on them", () => {
  expect(["KeyV", "Digit1", "F8", "CapsLock", "BracketLeft", "ArrowUp", "NumpadAdd"].map(keyName)).toEqual([
    "V",
    "1",
    "F8",
    "Caps Lock",
    "[",
    "↑",
    "Numpad Add",
  ]);
});
