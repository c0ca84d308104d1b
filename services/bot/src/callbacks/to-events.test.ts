import type { BotEvent, Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { MAX_FAILURES, retryAfterMs } from "../bounds.ts";
import { toEvents } from "./to-events.ts";

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

test("what is newer than what the bot was told of is created, the rest has changed", () => {
  expect(typesOf([message(6), message(5), message(4, { deletedAt })])).toEqual(ALL);
});

test("what is gone before the bot heard of it, and its own, is left out", () => {
  expect(typesOf([message(6, { deletedAt }), message(7, { authorId: "bot" })])).toEqual([]);
});

test("only what it has asked for", () => {
  expect(typesOf([message(6), message(5)], ["message.changed"])).toEqual(["message.changed"]);
});

test("tries are given up after some hours, each later than the one before", () => {
  const waits = Array.from({ length: MAX_FAILURES - 1 }, (_, i) => retryAfterMs(i + 1));
  expect(waits.every((wait, i) => i === 0 || wait >= waits[i - 1]!)).toBe(true);
  const hours = waits.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(3);
  expect(hours).toBeLessThan(8);
});
