import { expect, test } from "vitest";
import { TypingNotes } from "./typing-notes.ts";

test("typing is sent at once, then at most once per interval and channel", () => {
  const told: string[] = [];
  const notes = new TypingNotes(3000, (channelId) => told.push(channelId));
  for (const nowMs of [10_000, 10_001, 12_999]) notes.note("a", nowMs);
  notes.note("b", 12_999);
  expect(told).toEqual(["a", "b"]);
  notes.note("a", 13_000);
  notes.note("b", 13_000);
  expect(told).toEqual(["a", "b", "a"]);
});

test("the number of remembered channels is limited", () => {
  let told = 0;
  const notes = new TypingNotes(3000, () => (told += 1));
  for (let channel = 0; channel <= 100; channel += 1) notes.note(String(channel), channel);
  expect(told).toBe(101);
  notes.note("100", 200);
  expect(told).toBe(101);
  notes.note("0", 200);
  expect(told).toBe(102);
});
