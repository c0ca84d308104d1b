import type { ChannelSync, Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import {
  type ChannelCopy,
  MAX_BUFFERED,
  MAX_MESSAGES,
  type MessagePage,
  newChannelCopy,
  reduceChannel,
  syncCursor,
} from "./channel-state.ts";

const channelId = "c".repeat(24);

function message(seq: number, rev = seq, content = `${seq}@${rev}`): Message {
  const id = seq.toString(16).padStart(24, "0");
  const createdAt = "2026-01-01T00:00:00.000Z";
  const authorId = "a".repeat(24);
  const rest = { replyTo: null, nonce: `n${seq}`, createdAt, editedAt: null, deletedAt: null };
  return { id, channelId, seq, rev, authorId, content, ...rest };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i));

function page(messages: Message[], rev: number): MessagePage {
  return { messages, hasMore: (messages[0]?.seq ?? 1) > 1, head: { seq: messages.at(-1)?.seq ?? 0, rev } };
}

function loaded(messages: Message[]): ChannelCopy {
  const rev = Math.max(0, ...messages.map((one) => one.rev));
  const newest = page(messages, rev);
  return reduceChannel(newChannelCopy(channelId), {
    type: "newestPage",
    page: newest,
    invalidations: 0,
  });
}

function events(copy: ChannelCopy, ...messages: Message[]): ChannelCopy {
  return reduceChannel(copy, { type: "messages", messages });
}

function synced(copy: ChannelCopy, answer: Partial<ChannelSync>, asked = copy): ChannelCopy {
  const head = copy.head;
  const full = { channelId, status: "ok" as const, messages: [], head, ...answer };
  return reduceChannel(copy, { type: "synced", answer: full, asked });
}

const invalidated = (copy: ChannelCopy) => reduceChannel(copy, { type: "invalidate" });

const contents = (copy: ChannelCopy) => copy.messages.map((one) => one.content);

test("events in order need no sync", () => {
  const copy = events(events(loaded(range(1, 3)), message(4), message(5)), message(2, 6));
  expect(contents(copy)).toEqual(["1@1", "2@6", "3@3", "4@4", "5@5"]);
  expect(copy).toMatchObject({ rev: 6, head: { seq: 5, rev: 6 } });
  expect(syncCursor(copy)).toBeUndefined();
});

test("late and repeated events are applied once, and an older version never replaces a newer one", () => {
  const copy = events(
    loaded(range(1, 2)),
    message(1, 4),
    message(3),
    message(1, 4),
    message(1, 1),
    message(3),
  );
  expect(contents(copy)).toEqual(["1@4", "2@2", "3@3"]);
  expect(syncCursor(copy)).toBeUndefined();
});

test("after a gap, the copy syncs from the last contiguous rev, whose message it requests again", () => {
  const copy = events(loaded(range(1, 2)), message(5), message(4));
  expect(syncCursor(copy)).toBe(1);
  const filled = synced(copy, {
    messages: range(2, 5),
    head: { seq: 5, rev: 5 },
  });
  expect(contents(filled)).toEqual(["1@1", "2@2", "3@3", "4@4", "5@5"]);
  expect(syncCursor(filled)).toBeUndefined();
});

test("an invalidation is settled only by a sync that was sent after it", () => {
  const copy = loaded(range(1, 2));
  const stale = invalidated(copy);
  expect(syncCursor(stale)).toBe(1);
  const answer = { messages: [message(2)] };
  expect(syncCursor(synced(stale, answer, copy))).toBe(1);
  expect(syncCursor(synced(stale, answer, stale))).toBeUndefined();
});

test("events received before the first page are applied with it", () => {
  let copy = events(newChannelCopy(channelId), message(1, 4), message(3));
  expect(syncCursor(copy)).toBeUndefined();
  copy = reduceChannel(copy, {
    type: "newestPage",
    page: page(range(1, 2), 2),
    invalidations: 0,
  });
  expect(contents(copy)).toEqual(["1@4", "2@2", "3@3"]);
  expect(copy.rev).toBe(4);
});

test("more early events than the limit cause a sync", () => {
  let copy = events(newChannelCopy(channelId), ...range(2, MAX_BUFFERED + 2));
  expect(copy.messages).toEqual([]);
  copy = reduceChannel(copy, {
    type: "newestPage",
    page: page([message(1)], 1),
    invalidations: 0,
  });
  expect(syncCursor(copy)).toBe(0);
});

test("a copy never exceeds its limit", () => {
  const copy = events(loaded(range(1, 2)), ...range(3, MAX_MESSAGES + 10));
  expect(copy.messages).toHaveLength(MAX_MESSAGES);
  expect(copy.fromSeq).toBe(11);
});

test("a change of an unloaded message is dropped, and synced if an older page missed it", () => {
  let copy = loaded(range(11, 20));
  copy = events(copy, message(5, 21), message(21, 22));
  expect(copy.messages[0]?.seq).toBe(11);
  expect(syncCursor(copy)).toBeUndefined();
  const stale = { type: "olderPage" as const, page: page(range(1, 10), 20), before: 11 };
  copy = reduceChannel(copy, stale);
  expect(syncCursor(copy)).toBe(19);
  const messages = [message(20), message(5, 21), message(21, 22)];
  copy = synced(copy, { messages, head: { seq: 21, rev: 22 } });
  expect(copy.messages[4]?.content).toBe("5@21");
  expect(syncCursor(copy)).toBeUndefined();
});

test("a page that is short because of its size is not the end of the channel", () => {
  let copy = loaded(range(11, 13));
  expect(copy.fromSeq).toBe(11);
  copy = reduceChannel(copy, { type: "olderPage", page: page(range(9, 10), 13), before: 11 });
  expect(copy.fromSeq).toBe(9);
  copy = reduceChannel(copy, { type: "olderPage", page: page(range(1, 8), 13), before: 9 });
  expect(copy.fromSeq).toBe(0);
});

test("an outdated older page is ignored", () => {
  const copy = loaded(range(11, 20));
  const change = { type: "olderPage" as const, page: page(range(1, 5), 20), before: 6 };
  expect(reduceChannel(copy, change)).toBe(copy);
});

test("too large a gap reloads the newest page, and a shorter history starts again", () => {
  const copy = loaded(range(1, 5));
  const resync = synced(copy, { status: "resync", head: { seq: 900, rev: 900 } });
  expect(resync).toMatchObject({ needsPage: true, status: "ready" });
  expect(resync.messages).toHaveLength(5);
  expect(synced(copy, { head: { seq: 1, rev: 1 } })).toMatchObject({ status: "loading", messages: [] });
});

/** A message that another one has made way for, when the server's data was restored from a backup. */
const lost = (seq: number) => ({ ...message(seq), id: "b".repeat(24), content: "lost" });

test("a history in which another message has the last known change starts again", () => {
  const copy = invalidated(loaded([...range(1, 5), lost(6)]));
  expect(syncCursor(copy)).toBe(5);
  const again = synced(copy, { messages: range(6, 8), head: { seq: 8, rev: 8 } });
  expect(again).toMatchObject({ status: "loading", messages: [], needsPage: true });
});

test("a message that was changed again during the sync is no reason to start again", () => {
  const asked = invalidated(loaded(range(1, 2)));
  const edited = [message(2, 3)];
  const head = { seq: 2, rev: 3 };
  expect(syncCursor(synced(asked, { messages: edited, head }))).toBeUndefined();
  const copy = events(asked, ...edited);
  expect(contents(synced(copy, { messages: [message(2)] }, asked))).toEqual(["1@1", "2@3"]);
});

test("a last change whose message isn't loaded can't be compared, and isn't requested", () => {
  const copy = invalidated(events(loaded(range(11, 20)), message(5, 21)));
  expect(syncCursor(copy)).toBe(21);
  expect(syncCursor(synced(copy, { messages: [] }))).toBeUndefined();
});

test("the page after too large a gap replaces messages that a restored backup lacks", () => {
  const copy = synced(loaded([...range(1, 5), lost(6)]), { status: "resync", head: { seq: 6, rev: 300 } });
  const messages = [...range(1, 5), message(6)];
  const newest = { type: "newestPage" as const, page: page(messages, 300), invalidations: 0 };
  expect(reduceChannel(copy, newest).messages).toEqual(messages);
});

test("a deleted channel stays empty until it is loaded again", () => {
  const gone = synced(loaded(range(1, 5)), { status: "gone", head: { seq: 0, rev: 0 } });
  expect(events(gone, message(6))).toMatchObject({ status: "gone", messages: [] });
  const change = {
    type: "newestPage" as const,
    page: page(range(1, 6), 6),
    invalidations: gone.invalidations,
  };
  expect(reduceChannel(gone, change)).toMatchObject({ status: "ready", rev: 6 });
});

test("the previous copy is not modified", () => {
  const copy = loaded(range(1, 2));
  const before = structuredClone(copy);
  events(copy, message(4), message(1, 5));
  expect(copy).toEqual(before);
});
