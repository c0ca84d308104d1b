import type { Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { messageTokens } from "./message-tokens.ts";

test.each<[Partial<Message>, boolean]>([
  [{ content: "see https://example.org" }, true],
  [{ content: "no link" }, false],
  [{ content: "", cards: [{ text: "see https://example.org" }] }, true],
  [{ content: "", cards: [{ title: "x", url: "https://example.org/" }] }, true],
  [{ content: "x", controls: [{ kind: "link", label: "Open", url: "https://example.org/" }] }, true],
])("whether %j has a link: %s", (message, expected) => {
  expect(messageTokens(message as Message, false).includes(":has:link")).toBe(expected);
});
