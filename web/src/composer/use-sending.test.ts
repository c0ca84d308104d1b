import { expect, test } from "vitest";
import { commandIn, slowModeLeft } from "./use-sending.ts";

const commands = [{ name: "poll" }];

test("a text that begins with a command of a bot is one", () => {
  expect(commandIn("/poll", commands)).toEqual({ name: "poll", text: "" });
  expect(commandIn("/poll  tea or coffee? ", commands)).toEqual({ name: "poll", text: "tea or coffee?" });
});

test("everything else is a message", () => {
  for (const text of ["/polls", "poll", "/etc/hosts", " /poll", "/shrug", "/"]) {
    expect(commandIn(text, commands)).toBeNull();
  }
});

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
