import type { BotEvent, Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { CALLBACK_BACKOFF, MAX_FAILURES } from "../constants.ts";
import { parseAnswer, toEvents } from "./deliver.ts";

const ALL: BotEvent[] = ["message.created", "message.changed", "message.deleted"];
const message = (seq: number, more: Partial<Message> = {}): Message => ({
  id: `m${seq}`,
  channelId: "c",
  seq,
  rev: seq,
  authorId: "user",
  content: "text",
  replyTo: null,
  nonce: "n",
  createdAt: "2026-01-01T00:00:00.000Z",
  editedAt: null,
  deletedAt: null,
  ...more,
});
const typesOf = (messages: Message[], wanted = ALL) =>
  toEvents(messages, 5, wanted, "bot").map(({ type }) => type);
const deletedAt = "2026-01-02T00:00:00.000Z";

test("messages after the last delivered one are created, others are updated", () => {
  expect(typesOf([message(6), message(5), message(4, { deletedAt })])).toEqual(ALL);
});

test("omits the bot's own messages, and those deleted before they were delivered", () => {
  expect(typesOf([message(6, { deletedAt }), message(7, { authorId: "bot" })])).toEqual([]);
});

test("contains only subscribed events", () => {
  expect(typesOf([message(6), message(5)], ["message.changed"])).toEqual(["message.changed"]);
});

test("a failing URL is disabled after some hours", () => {
  const { firstMs, maxMs } = CALLBACK_BACKOFF;
  const waits = Array.from({ length: MAX_FAILURES - 1 }, (_, i) => Math.min(firstMs * 2 ** i, maxMs));
  const hours = waits.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(3);
  expect(hours).toBeLessThan(8);
});

const parse = (answer: unknown) => parseAnswer(JSON.stringify(answer));

test.each(["", "ok", "null", "[]", "5", '"text"', "{}", '{"ok":true}', '{"text":""}', '{"text":{}}', "{"])(
  "a response such as %j is no answer",
  (body) => expect(parseAnswer(body)).toBeNull(),
);

test("an answer is only for the user, unless it says otherwise", () => {
  expect(parse({ text: "a" })).toEqual({ as: "ephemeral", message: { content: "a" } });
  expect(parse({ text: "a", response_type: "in_channel" })?.as).toBe("message");
  expect(parse({ text: "a", response_type: "unknown" })?.as).toBe("ephemeral");
  expect(parse({ text: "a", response_type: "in_channel", replace_original: true })?.as).toBe("update");
});

test("an update in Slack's format replaces everything, one in Fanfare's only what it has", () => {
  expect(parse({ text: "Approved", replace_original: true })).toEqual({
    as: "update",
    message: { content: "Approved", cards: [], controls: [] },
  });
  expect(parse({ controls: [], replace_original: true })?.message).toEqual({ controls: [] });
});

test("Slack's markup and attachments are converted, Fanfare's fields are not", () => {
  expect(parse({ text: "*a*", attachments: [{ title: "t", color: "good" }] })?.message).toEqual({
    content: "**a**",
    cards: [{ title: "t", color: 0x2e_b8_86 }],
    controls: [],
  });
  const own = { content: "*a*", cards: [{ title: "t" }], controls: [] };
  expect(parse({ ...own, text: "ignored" })?.message).toEqual(own);
});
