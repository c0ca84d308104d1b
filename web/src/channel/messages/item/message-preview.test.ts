import { expect, test } from "vitest";
import { messageLinks } from "./message-preview.tsx";

const ORIGIN = "https://chat.example";
const [group, channel, thread, one, two] = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
  string,
];
const inChannel = `${ORIGIN}/groups/${group}/channels/${channel}?message=${one}`;
const inThread = `${ORIGIN}/groups/${group}/channels/${channel}?thread=${thread}&message=${two}`;

function found(content: string): string[] {
  return messageLinks(content, ORIGIN).map(({ channelId, messageId }) => `${channelId[0]} ${messageId[0]}`);
}

test.each([
  ["a message of a channel", `look: ${inChannel}.`, ["2 4"]],
  ["a reply in a thread", inThread, ["3 5"]],
  ["a direct message", `${ORIGIN}/direct/${channel}?message=${one}`, ["2 4"]],
  ["links with texts and in lists", `- [this](${inChannel})\n\n${inThread}`, ["2 4", "3 5"]],
  ["the same message twice", `${inChannel} ${inChannel}`, ["2 4"]],
])("%s", (_, content, expected) => {
  expect(found(content)).toEqual(expected);
});

test.each([
  ["a channel", `${ORIGIN}/groups/${group}/channels/${channel}`],
  ["another instance", inChannel.replace("chat.", "other.")],
  ["an instance whose name begins alike", inChannel.replace(".example", ".example.evil")],
  ["code", `\`${inChannel}\`\n\n\`\`\`\n${inThread}\n\`\`\``],
  ["a quote", `> [Ada](${inChannel})\n> ${inThread}`],
  ["an invalid ID", inChannel.slice(0, -1)],
])("not %s", (_, content) => {
  expect(found(content)).toEqual([]);
});

test("at most five", () => {
  const many = ["a", "b", "c", "d", "e", "f"].map((digit) => inChannel.replace(one, digit.repeat(24)));
  expect(found(many.join(" "))).toEqual(["2 a", "2 b", "2 c", "2 d", "2 e"]);
});
