import type { ChannelSnapshot } from "@fanfare/client";
import { describe, expect, test } from "vitest";
import { nextMark } from "./unread-mark.ts";

const START = { readUpTo: null, count: null };

function snapshot(seq: number, more: Partial<ChannelSnapshot> = {}): ChannelSnapshot {
  const head = { seq, rev: seq };
  const rest = { channelId: "c", messages: [], hasOlder: false, pending: [] };
  return { ...rest, status: "ready", head, isOutdated: false, lastReadSeq: 0, ...more };
}

describe("nextMark", () => {
  test("is fixed when the channel is opened", () => {
    const mark = nextMark(START, snapshot(10), 7, false);
    expect(mark).toEqual({ readUpTo: 7, count: 3 });
    expect(nextMark(mark, snapshot(12, { lastReadSeq: 12 }), 12, false)).toBe(mark);
  });

  test("waits until the channel is loaded and its restored messages are up to date", () => {
    const loading = nextMark(START, snapshot(0, { status: "loading" }), 7, false);
    expect(loading).toEqual({ readUpTo: 7, count: null });
    const restored = nextMark(loading, snapshot(8, { isOutdated: true }), 7, false);
    expect(restored).toBe(loading);
    expect(nextMark(restored, snapshot(10), 7, false)).toEqual({ readUpTo: 7, count: 3 });
  });

  test("waits until a restored read marker is current", () => {
    const restored = nextMark(START, snapshot(10), 7, true);
    expect(restored).toEqual({ readUpTo: 7, count: null });
    expect(nextMark(restored, snapshot(10), 9, false)).toEqual({ readUpTo: 9, count: 1 });
  });

  test("uses the newer of the server's read marker and the one of this session", () => {
    expect(nextMark(START, snapshot(10, { lastReadSeq: 9 }), 7, false)).toEqual({ readUpTo: 9, count: 1 });
  });

  test("counts nothing in a channel that was never read", () => {
    expect(nextMark(START, snapshot(10), 0, false)).toEqual({ readUpTo: 0, count: 0 });
  });
});
