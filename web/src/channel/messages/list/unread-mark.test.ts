import type { ChannelSnapshot } from "@fanfare/client";
import { describe, expect, test } from "vitest";
import { nextMark } from "./unread-mark.ts";

const START = { readUpTo: null, count: null, markedUnread: null, isKept: false };

function snapshot(seq: number, more: Partial<ChannelSnapshot> = {}): ChannelSnapshot {
  const head = { seq, rev: seq };
  const rest = { channelId: "c", messages: [], hasOlder: false, pending: [] };
  return { ...rest, status: "ready", head, isOutdated: false, lastReadSeq: 0, markedUnread: null, ...more };
}

describe("nextMark", () => {
  test("is fixed when the channel is opened", () => {
    const mark = nextMark(START, snapshot(10), 7, false);
    expect(mark).toMatchObject({ readUpTo: 7, count: 3 });
    expect(nextMark(mark, snapshot(12, { lastReadSeq: 12 }), 12, false)).toBe(mark);
  });

  test("waits until the channel is loaded and its restored messages are up to date", () => {
    const loading = nextMark(START, snapshot(0, { status: "loading" }), 7, false);
    expect(loading).toMatchObject({ readUpTo: 7, count: null });
    const restored = nextMark(loading, snapshot(8, { isOutdated: true }), 7, false);
    expect(restored).toBe(loading);
    expect(nextMark(restored, snapshot(10), 7, false)).toMatchObject({ readUpTo: 7, count: 3 });
  });

  test("waits until a restored read marker is current", () => {
    const restored = nextMark(START, snapshot(10), 7, true);
    expect(restored).toMatchObject({ readUpTo: 7, count: null });
    expect(nextMark(restored, snapshot(10), 9, false)).toMatchObject({ readUpTo: 9, count: 1 });
  });

  test("uses the newer of the server's read marker and the one of this session", () => {
    expect(nextMark(START, snapshot(10, { lastReadSeq: 9 }), 7, false)).toMatchObject({
      readUpTo: 9,
      count: 1,
    });
  });

  test("counts nothing in a channel that was never read", () => {
    expect(nextMark(START, snapshot(10), 0, false)).toMatchObject({ readUpTo: 0, count: 0 });
  });

  test("moves to where the user marks messages as unread, until they are read", () => {
    const opened = nextMark(START, snapshot(10), 10, false);
    const markedUnread = { seq: 4 };
    const marked = nextMark(opened, snapshot(10, { markedUnread }), 3, false);
    expect(marked).toEqual({ readUpTo: 3, count: 7, markedUnread, isKept: true });
    expect(nextMark(marked, snapshot(11, { markedUnread }), 3, false)).toBe(marked);
    expect(nextMark(marked, snapshot(11), 11, false)).toMatchObject({ readUpTo: 3, isKept: false });
  });

  test("messages marked as unread before the channel was opened are read as usual", () => {
    const markedUnread = { seq: 4 };
    const opened = nextMark({ ...START, markedUnread }, snapshot(10, { markedUnread }), 3, false);
    expect(opened).toMatchObject({ readUpTo: 3, count: 7, isKept: false });
  });
});
