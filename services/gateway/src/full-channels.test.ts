import { expect, test } from "vitest";
import { FULL_CHANNEL_MS, MAX_FULL_CHANNELS } from "./bounds.ts";
import { FullChannels } from "./full-channels.ts";

test("a channel is full for a short time after it said so", () => {
  const full = new FullChannels();
  full.add("a", 1000);
  expect(full.has("a", 1000 + FULL_CHANNEL_MS - 1)).toBe(true);
  expect(full.has("b", 1000)).toBe(false);
  expect(full.has("a", 1000 + FULL_CHANNEL_MS)).toBe(false);
});

test("it remembers a bounded number of them", () => {
  const full = new FullChannels();
  for (let i = 0; i <= MAX_FULL_CHANNELS; i++) full.add(String(i), 1000);
  expect(full.has("0", 1000)).toBe(false);
  expect(full.has(String(MAX_FULL_CHANNELS), 1000)).toBe(true);
});
