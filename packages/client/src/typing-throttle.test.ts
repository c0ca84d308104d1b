import { expect, test } from "vitest";
import { TypingThrottle } from "./timing.ts";

test("typing is sent immediately, then at most once per interval and channel", () => {
  const sent: string[] = [];
  const notes = new TypingThrottle(3000, (channelId) => sent.push(channelId));
  for (const nowMs of [10_000, 10_001, 12_999]) notes.trigger("a", nowMs);
  notes.trigger("b", 12_999);
  expect(sent).toEqual(["a", "b"]);
  notes.trigger("a", 13_000);
  notes.trigger("b", 13_000);
  expect(sent).toEqual(["a", "b", "a"]);
});

test("the number of remembered channels is limited", () => {
  let sent = 0;
  const notes = new TypingThrottle(3000, () => (sent += 1));
  for (let channel = 0; channel <= 100; channel += 1) notes.trigger(String(channel), channel);
  expect(sent).toBe(101);
  notes.trigger("100", 200);
  expect(sent).toBe(101);
  notes.trigger("0", 200);
  expect(sent).toBe(102);
});
