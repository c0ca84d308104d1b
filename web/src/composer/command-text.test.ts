import { expect, test } from "vitest";
import { commandIn } from "./use-sending.ts";

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
