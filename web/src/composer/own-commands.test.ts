import { expect, test } from "vitest";
import { parseCommand, textToSend } from "./own-commands.ts";

const poll = { name: "poll" };

test("recognizes a command and what follows it", () => {
  expect(parseCommand("/poll", [poll])).toEqual({ command: poll, text: "" });
  expect(parseCommand("/poll  tea or coffee? ", [poll])).toEqual({ command: poll, text: "tea or coffee?" });
});

test("everything else is a message", () => {
  for (const text of ["/polls", "poll", "/etc/hosts", " /poll", "/shrug", "/"]) {
    expect(parseCommand(text, [poll])).toBeNull();
  }
});

test.each([
  ["me", "waves", "_waves_"],
  ["me", "", null],
  ["shrug", "no idea", "no idea ¯\\\\\\_(ツ)\\_/¯"],
  ["tableflip", "", "(╯°□°)╯︵ ┻━┻"],
  ["topic", "rockets", null],
])("/%s %s sends %s", (name, text, sent) => {
  expect(textToSend(name, text)).toBe(sent);
});
