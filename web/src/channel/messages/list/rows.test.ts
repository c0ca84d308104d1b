import type { Message } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import type { StoredMessage } from "../outbox-store.ts";
import { testMessage } from "../../../../test/test-message.ts";
import { type Row, type RowsInput, buildRows } from "./rows.ts";

const START = Date.parse("2026-03-01T10:00:00.000Z");

function message(seq: number, parts: Partial<Message> & { minutes?: number } = {}): Message {
  const { minutes = seq, ...rest } = parts;
  const createdAt = new Date(START + minutes * 60_000).toISOString();
  return testMessage(seq, { createdAt, ...rest });
}

function input(messages: Message[], parts: Partial<RowsInput> = {}): RowsInput {
  return {
    messages,
    pending: [],
    unsent: [],
    ownId: "me",
    readUpTo: null,
    blockedIds: new Set(),
    unfoldedIds: new Set(),
    ...parts,
  };
}

function shown(rows: readonly Row[]): string[] {
  return rows.map((row) => {
    if (row.kind === "message") return `${row.startsGroup ? "+" : ""}${row.message.id}`;
    return row.kind === "blocked" ? `blocked ${row.count}` : row.kind;
  });
}

describe("buildRows", () => {
  test("groups messages of an author within minutes, but not across days", () => {
    const rows = buildRows(
      input([
        message(1),
        message(2),
        message(3, { authorId: "bob" }),
        message(4, { authorId: "bob", replyTo: "m1" }),
        message(5, { authorId: "bob", minutes: 30 }),
        message(6, { authorId: "bob", minutes: 31, as: { name: "Builds", avatarUrl: null } }),
        message(7, { authorId: "bob", minutes: 26 * 60 }),
      ]),
    );
    expect(shown(rows)).toEqual(["day", "+m1", "m2", "+m3", "+m4", "+m5", "+m6", "day", "+m7"]);
  });

  test("hides deleted messages", () => {
    const deletedAt = new Date(START).toISOString();
    expect(shown(buildRows(input([message(1), message(2, { deletedAt }), message(3)])))).toEqual([
      "day",
      "+m1",
      "m3",
    ]);
  });

  test("marks the first unread message of another user", () => {
    const messages = [message(1), message(2, { authorId: "me" }), message(3), message(4)];
    expect(shown(buildRows(input(messages, { readUpTo: 1 })))).toEqual([
      "day",
      "+m1",
      "+m2",
      "unread",
      "+m3",
      "m4",
    ]);
    for (const readUpTo of [0, 4, null]) {
      expect(shown(buildRows(input(messages, { readUpTo })))).not.toContain("unread");
    }
  });

  test("folds runs of messages by blocked users", () => {
    const bob = { authorId: "bob" };
    const messages = [message(1), message(2, bob), message(3, bob), message(4), message(5, bob)];
    const blockedIds = new Set(["bob"]);
    expect(shown(buildRows(input(messages, { blockedIds })))).toEqual([
      "day",
      "+m1",
      "blocked 2",
      "+m4",
      "blocked 1",
    ]);
    expect(shown(buildRows(input(messages, { blockedIds, unfoldedIds: new Set(["m2"]) })))).toEqual([
      "day",
      "+m1",
      "blocked 2",
      "+m2",
      "m3",
      "+m4",
      "blocked 1",
    ]);
  });

  test("reuses unchanged rows", () => {
    const messages = [message(1), message(2)];
    const before = buildRows(input(messages));
    expect(buildRows(input([...messages]), before)).toBe(before);
    const after = buildRows(input([messages[0]!, message(2, { content: "other" }), message(3)]), before);
    expect(after.map((row, index) => row === before[index])).toEqual([true, true, false, false]);
  });

  test("ends with pending and failed messages", () => {
    const pending = [
      { nonce: "a", content: "a" },
      { nonce: "b", content: "b" },
    ];
    const unsent = [{ message: { nonce: "u" } as StoredMessage, error: null }];
    const rows = buildRows(input([message(1)], { pending, unsent }));
    expect(shown(rows)).toEqual(["day", "+m1", "pending", "pending", "unsent"]);
    expect(rows[2]).toMatchObject({ startsGroup: true });
    expect(rows[3]).toMatchObject({ startsGroup: false });
  });
});
