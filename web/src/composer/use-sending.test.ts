import { expect, test } from "vitest";
import { slowModeLeft } from "./use-sending.ts";

const sentAt = "2026-01-01T00:00:00.000Z";
const sentMs = Date.parse(sentAt);

test("slow mode counts whole seconds since the last message", () => {
  expect(slowModeLeft(sentAt, 10, sentMs + 100)).toBe(10);
  expect(slowModeLeft(sentAt, 10, sentMs + 9100)).toBe(1);
  expect(slowModeLeft(sentAt, 10, sentMs + 10_000)).toBe(0);
  expect(slowModeLeft(undefined, 10, sentMs)).toBe(0);
  expect(slowModeLeft(sentAt, 0, sentMs)).toBe(0);
});

test("a slow clock does not extend the wait", () => {
  expect(slowModeLeft(sentAt, 10, sentMs - 60_000)).toBe(10);
});
