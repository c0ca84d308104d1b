import { parseMentions } from "@fanfare/contract";
import { expect, test } from "vitest";
import { quoteOf } from "./quote.ts";

const id = "a".repeat(24);
const names = { author: "Ada *", user: () => "everyone", role: () => "pilots", channel: () => "hangar" };
const quote = (content: string, more: object = {}) =>
  quoteOf({ content, ...more }, "https://x.example", names);

test("each line is quoted, below the author with the link", () => {
  expect(quote("one\n\ntwo")).toBe("> [**Ada \\***](https://x.example)\n> one\n>\n> two");
});

test("mentions become names that notify no one", () => {
  const quoted = quote(`<@${id}> <@&${id}> <#${id}> @here`);
  expect(quoted).toContain("> \\@everyone \\@pilots \\#hangar \\@here");
  expect(parseMentions(quoted)).toEqual({ userIds: [], roleIds: [], everyone: false });
});

test("attachments are named", () => {
  expect(quote("", { attachments: [{ name: "a_b.png" }] })).toBe(
    "> [**Ada \\***](https://x.example)\n> 📎 a\\_b.png",
  );
});
