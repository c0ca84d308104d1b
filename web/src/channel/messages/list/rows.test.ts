import type { Ephemeral, MemberChange, Message } from "@fanfare/contract";
import { describe, expect, test, vi } from "vitest";
import type { StoredMessage } from "../outbox-store.ts";
import { testMessage } from "../../../../test/test-message.ts";
import { type BuiltRows, type Row, type RowsInput, buildRows } from "./rows.ts";

const START = Date.parse("2026-03-01T10:00:00.000Z");
const NO_ONE: ReadonlySet<string> = new Set();

function message(seq: number, parts: Partial<Message> & { minutes?: number } = {}): Message {
  const { minutes = seq, ...rest } = parts;
  const createdAt = new Date(START + minutes * 60_000).toISOString();
  return testMessage(seq, { createdAt, ...rest });
}

function input(messages: Message[], parts: Partial<RowsInput> = {}): RowsInput {
  return {
    messages,
    changes: [],
    pending: [],
    unsent: [],
    ephemerals: [],
    ownId: "me",
    readUpTo: null,
    blockedIds: NO_ONE,
    unfoldedIds: new Set(),
    ...parts,
  };
}

function built(of: RowsInput): BuiltRows {
  return { input: of, rows: buildRows(of) };
}

function shown(rows: readonly Row[]): string[] {
  return rows.map((row) => {
    if (row.kind === "message") return `${row.startsGroup ? "+" : ""}${row.message.id}`;
    if (row.kind === "members") return `members ${row.changes.map(({ userId }) => userId).join(" ")}`;
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

  test("a day begins within an hour of UTC where the time zone has half hours", () => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    // Midnight is at 18:30 UTC.
    const rows = buildRows(input([message(1, { minutes: 500 }), message(2, { minutes: 515 })]));
    vi.unstubAllEnvs();
    expect(shown(rows)).toEqual(["day", "+m1", "day", "+m2"]);
  });

  test("messages that only the user sees are shown by time, also after the last message", () => {
    const only = (id: string, minutes: number): Ephemeral => ({
      id,
      channelId: "c",
      authorId: "robot",
      content: "psst",
      createdAt: new Date(START + minutes * 60_000).toISOString(),
    });
    const messages = [message(1), message(2), message(3)];
    const first = built(input(messages, { ephemerals: [only("e1", 1.5), only("e2", 9)] }));
    expect(shown(first.rows)).toEqual(["day", "+m1", "ephemeral", "+m2", "m3", "ephemeral"]);
    const more = input([...messages, message(10)], { ephemerals: first.input.ephemerals });
    const rows = buildRows(more, first);
    expect(shown(rows)).toEqual(["day", "+m1", "ephemeral", "+m2", "m3", "ephemeral", "+m10"]);
    expect(rows[2]).toBe(first.rows[2]);
    expect(buildRows({ ...more, blockedIds: new Set(["robot"]) }).map(({ kind }) => kind)).not.toContain(
      "ephemeral",
    );
    const dismissed = buildRows({ ...more, ephemerals: [] }, { input: more, rows });
    expect(shown(dismissed)).toEqual(["day", "+m1", "m2", "m3", "+m10"]);
  });

  describe("joins and departures", () => {
    const joined = (userId: string, minutes: number): MemberChange => ({
      userId,
      change: "joined",
      at: new Date(START + minutes * 60_000).toISOString(),
    });

    test("are one row between two messages and for each day", () => {
      const changes = [
        joined("a", 0),
        joined("b", 1.5),
        joined("c", 1.6),
        joined("d", 26 * 60),
        joined("e", 27 * 60),
      ];
      const messages = [message(1), message(2), message(3), message(4, { minutes: 26.5 * 60 })];
      const rows = buildRows(input(messages, { changes }));
      expect(shown(rows)).toEqual([
        "day",
        "members a",
        "+m1",
        "members b c",
        "+m2",
        "m3",
        "day",
        "members d",
        "+m4",
        "members e",
      ]);
    });

    test("keep the rows before and after them the same objects", () => {
      const changes = [joined("a", 0), joined("b", 1.5), joined("c", 60)];
      const before = built(input([message(1), message(2)], { changes }));
      const rows = buildRows(input([message(1), message(2), message(3)], { changes }), before);
      expect(shown(rows)).toEqual(["day", "members a", "+m1", "members b", "+m2", "m3", "members c"]);
      expect(rows.slice(0, 5)).toEqual(before.rows.slice(0, 5));
      expect(rows.at(-1)).toBe(before.rows.at(-1));
      const more = [...changes, joined("d", 61)];
      const after = buildRows(input([message(1), message(2)], { changes: more }), before);
      expect(shown(after)).toEqual(["day", "members a", "+m1", "members b", "+m2", "members c d"]);
      expect(after[0]).toBe(before.rows[0]);
      expect(after.at(-1)!.key).toBe(before.rows.at(-1)!.key);
    });
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
    const before = built(input(messages));
    expect(buildRows(input([...messages]), before)).toBe(before.rows);
    const after = buildRows(input([messages[0]!, message(2, { content: "other" }), message(3)]), before);
    expect(after.map((row, index) => row === before.rows[index])).toEqual([true, true, false, false]);
  });

  test("adds to previous rows what it would build from all messages", () => {
    const deletedAt = new Date(START).toISOString();
    const messages = [
      message(1),
      message(2, { authorId: "me" }),
      message(3, { deletedAt }),
      message(4),
      message(5),
      message(6, { deletedAt }),
      message(7, { minutes: 26 * 60 }),
      message(8, { authorId: "bob", minutes: 26 * 60 }),
    ];
    const pending = [{ nonce: "a", content: "a" }];
    for (const readUpTo of [null, 0, 1, 4, 8]) {
      let before = built(input([], { readUpTo, pending }));
      for (let count = 1; count <= messages.length; count++) {
        const next = input(messages.slice(0, count), { readUpTo, pending });
        before = { input: next, rows: buildRows(next, before) };
        expect(before.rows).toEqual(buildRows(next));
      }
      const changed = input(messages.with(4, message(5, { deletedAt })), { readUpTo });
      expect(buildRows(changed, before)).toEqual(buildRows(changed));
    }
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
