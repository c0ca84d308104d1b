import { expect, test } from "vitest";
import { TypingNotes } from "./typing-notes.ts";

test("writing is told at once, then no more often than the interval, each channel by itself", () => {
  const told: string[] = [];
  const notes = new TypingNotes(3000, (channelId) => told.push(channelId));
  for (const nowMs of [10_000, 10_001, 12_999]) notes.note("a", nowMs);
  notes.note("b", 12_999);
  expect(told).toEqual(["a", "b"]);
  notes.note("a", 13_000);
  notes.note("b", 13_000);
  expect(told).toEqual(["a", "b", "a"]);
});

test("what is remembered is bounded", () => {
  let told = 0;
  const notes = new TypingNotes(3000, () => (told += 1));
  for (let channel = 0; channel <= 100; channel += 1) notes.note(String(channel), channel);
  expect(told).toBe(101);
  notes.note("100", 200);
  expect(told).toBe(101);
  notes.note("0", 200);
  expect(told).toBe(102);
});
