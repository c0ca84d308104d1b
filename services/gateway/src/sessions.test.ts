import { ACCESS_TOKEN_LIFETIME_MS } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { EndedSessions } from "./sessions.ts";

test("remembers a session at least for the lifetime of its access tokens, but not forever", () => {
  const ended = new EndedSessions();
  ended.add(["a"], 0);
  ended.add(["b"], ACCESS_TOKEN_LIFETIME_MS);
  expect(ended.has("a")).toBe(true);
  expect(ended.has("c")).toBe(false);
  ended.add(["c"], 2 * ACCESS_TOKEN_LIFETIME_MS);
  expect([ended.has("a"), ended.has("b"), ended.size]).toEqual([false, true, 2]);
});

test("drops the oldest when there are too many", () => {
  const ended = new EndedSessions(2);
  ended.add(["a", "b"], 0);
  ended.add(["a", "c"], 1);
  expect([ended.has("a"), ended.has("b"), ended.has("c")]).toEqual([true, false, true]);
});
