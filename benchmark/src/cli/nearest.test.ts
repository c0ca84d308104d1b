import { expect, test } from "vitest";
import { nearest } from "./commands.ts";

test.each([
  ["user", "users"],
  ["conect-timeout", "connect-timeout"],
  ["treshold", "threshold"],
  ["mesages", "messages"],
  ["nonsense", undefined],
  ["x", undefined],
])("%s → %s", (word, name) => {
  expect(nearest(word, ["users", "messages", "threshold", "connect-timeout", "u"])).toBe(name);
});
