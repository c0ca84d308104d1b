import { expect, test } from "vitest";
import { slowModeLeft } from "./use-sending.ts";

const sentAt = "2026-01-01T00:00:00.000Z";
const sentMs = Date.parse(sentAt);

test("slow mode is counted in whole seconds from the last message", () => {
  expect(slowModeLeft(sentAt, 10, sentMs + 100)).toBe(10);
  expect(slowModeLeft(sentAt, 10, sentMs + 9100)).toBe(1);
  expect(slowModeLeft(sentAt, 10, sentMs + 10_000)).toBe(0);
  expect(slowModeLeft(undefined, 10, sentMs)).toBe(0);
  expect(slowModeLeft(sentAt, 0, sentMs)).toBe(0);
});

test("a clock that is behind the server's makes nobody wait longer", () => {
  expect(slowModeLeft(sentAt, 10, sentMs - 60_000)).toBe(10);
});
