import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { parseMentions } from "./mentions.ts";

const a = "a".repeat(24);
const b = "b".repeat(24);
const NONE = { userIds: [], roleIds: [], everyone: false };

test("users, roles and everyone, each once", () => {
  expect(parseMentions(`<@${a}>, <@&${b}> and <@${a}>: @everyone!`)).toEqual({
    userIds: [a],
    roleIds: [b],
    everyone: true,
  });
  expect(parseMentions("(@here)")).toEqual({ ...NONE, everyone: true });
});

test.each([
  "plain",
  "<@short>",
  `<@${"g".repeat(24)}>`,
  "mail@everyone.example",
  "@everyone_else",
  "@hereafter",
  "@@here",
  `\`<@${a}>\``,
  `\`\` \` <@${a}> \`\``,
  `\`two\nlines <@${a}>\``,
  `\`\`\`\n<@${a}>\n\`\`\``,
  `\`\`\`ts\n<@${a}>\n\`\`\`ts\n@everyone`,
  `text\n~~~\n<@${a}>`,
  `\\<@${a}>`,
])("no mention: %j", (text) => {
  expect(parseMentions(text)).toEqual(NONE);
});

test.each([
  `\`<@${a}>`,
  `\`\`x\` <@${a}>`,
  `\`x\` <@${a}>`,
  `\`\`\`\ncode\n\`\`\`\n<@${a}>`,
  `\`\`\`\nx\n\`\`\`\`\n<@${a}>`,
  `\`\`\`code\`\`\` <@${a}>`,
])("a mention outside code: %j", (text) => {
  expect(parseMentions(text).userIds).toEqual([a]);
});

test("no more than the limit", () => {
  const many = Array.from({ length: 200 }, (_, i) => `<@${i.toString(16).padStart(24, "0")}>`).join("");
  expect(parseMentions(many).userIds).toHaveLength(LIMITS.mentionsPerMessage);
});

test("any text of mentions, code and escapes is parsed to the end, and mentions after it count", () => {
  const part = fc.constantFrom("`", "``", "```", "\n", "~~~", "\\", "x ", `<@${b}>`, "@here", "<@");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const parsed = parseMentions(text);
      expect(parsed.userIds.every((id) => text.includes(`<@${id}>`))).toBe(true);
      const plain = parts.filter((one) => !/[`~\\]/.test(one)).join("");
      expect(parseMentions(`${plain}\n<@${a}>`).userIds).toContain(a);
    }),
  );
});

test("a text of only backticks is parsed to the end", () => {
  const text = Array.from({ length: 80 }, (_, i) => "`".repeat((i % 40) + 1)).join(" ") + "@";
  expect(parseMentions(text.slice(0, LIMITS.messageMaxChars))).toEqual(NONE);
});
