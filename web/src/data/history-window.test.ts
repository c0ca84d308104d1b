import type { Message } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import {
  type HistoryWindow,
  joinLive,
  MAX_WINDOW,
  windowAround,
  withChanged,
  withNewer,
  withOlder,
  withReactionsChanged,
} from "./history-window.ts";

const message = (seq: number, rev = seq, content = `message ${seq}`): Message =>
  ({ id: `m${seq}`, seq, rev, content }) as Message;
const run = (from: number, to: number): Message[] =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const page = (from: number, to: number, headSeq: number, hasMore = false) => ({
  messages: run(from, to),
  hasMore,
  head: { seq: headSeq, rev: headSeq },
});
const seqs = ({ messages }: { messages: readonly Message[] }): [number, number] => [
  messages[0]!.seq,
  messages.at(-1)!.seq,
];

describe("a history window", () => {
  test("grows at both ends and knows the beginning of the channel", () => {
    let window = windowAround(page(40, 60, 100));
    expect(window.hasOlder).toBe(true);
    window = withOlder(window, page(20, 39, 100, true));
    window = withOlder(window, page(1, 19, 100));
    expect(seqs(window)).toEqual([1, 60]);
    expect(window.hasOlder).toBe(false);
    window = withNewer(window, page(61, 80, 100, true));
    window = withNewer(window, page(81, 100, 100));
    expect(window.hasOlder).toBe(false);
    expect(seqs(window)).toEqual([1, 100]);
  });

  test("ignores messages that it already has", () => {
    const window = withNewer(windowAround(page(1, 10, 30)), page(8, 17, 30, true));
    expect(window.messages.map(({ seq }) => seq)).toEqual(run(1, 17).map(({ seq }) => seq));
  });

  test("drops the other end beyond its size", () => {
    const full: HistoryWindow = { messages: run(101, 100 + MAX_WINDOW), hasOlder: true };
    const older = withOlder(full, page(51, 100, 5000, true));
    expect(seqs(older)).toEqual([51, 50 + MAX_WINDOW]);
    const newer = withNewer(
      { ...full, hasOlder: false },
      page(101 + MAX_WINDOW, 150 + MAX_WINDOW, 5000, true),
    );
    expect(seqs(newer)).toEqual([151, 150 + MAX_WINDOW]);
    expect(newer.hasOlder).toBe(true);
  });

  test("takes newer versions and keeps its identity without changes", () => {
    const window = windowAround(page(1, 3, 3));
    const edited = message(2, 9, "edited");
    expect(withChanged(window, new Map([[edited.id, edited]])).messages[1]).toBe(edited);
    const old = message(2, 1, "old");
    expect(withChanged(window, new Map([[old.id, old]]))).toBe(window);
  });

  test("only applies reactions to the revision they belong to", () => {
    const window = windowAround(page(1, 3, 3));
    const change = {
      channelId: "c",
      messageId: "m2",
      seq: 2,
      reactions: [{ emoji: "🚀", count: 1, userIds: [] }],
    };
    expect(withReactionsChanged(window, { ...change, rev: 9, afterRev: 2 })?.messages[1]).toMatchObject({
      rev: 9,
      reactions: change.reactions,
    });
    expect(withReactionsChanged(window, { ...change, rev: 9, afterRev: 8 })).toBeNull();
    expect(withReactionsChanged(window, { ...change, rev: 2, afterRev: 1 })).toBe(window);
    expect(withReactionsChanged(window, { ...change, messageId: "m7", rev: 9, afterRev: 8 })).toBe(window);
  });

  test("joins the live copy when they are adjacent", () => {
    const window = windowAround(page(40, 60, 100));
    expect(joinLive(window, run(62, 100))).toEqual({ messages: window.messages, isLive: false });
    expect(joinLive(window, run(61, 100))).toEqual({ messages: run(40, 100), isLive: true });
    expect(joinLive(window, run(50, 100))).toEqual({ messages: run(40, 100), isLive: true });
  });

  test("stays alone while messages between it and the live copy are missing, or the copy is older", () => {
    const window = windowAround(page(40, 60, 60));
    expect(joinLive(window, run(75, 100))).toEqual({ messages: window.messages, isLive: false });
    expect(joinLive(window, run(1, 30))).toEqual({ messages: window.messages, isLive: false });
    expect(joinLive(window, run(1, 59))).toEqual({ messages: window.messages, isLive: false });
    expect(joinLive(window, run(1, 60))).toEqual({ messages: run(1, 60), isLive: true });
    expect(joinLive(window, [])).toEqual({ messages: window.messages, isLive: true });
  });
});
