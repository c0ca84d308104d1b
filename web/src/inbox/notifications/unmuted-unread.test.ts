import type { NotificationSetting, UnreadChannel } from "@fanfare/contract";
import { expect, test } from "vitest";
import { badgeCount, unmutedUnread } from "./unmuted-unread.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const unread = (
  channelId: string,
  groupId: string | null,
  messages: number,
  mentionCount = 0,
  parentId: string | null = null,
): UnreadChannel => ({
  channelId,
  groupId,
  parentId,
  head: { seq: messages, rev: messages },
  lastReadSeq: 0,
  mentionCount,
});
const setting = (more: Partial<NotificationSetting>): NotificationSetting => ({
  groupId: null,
  channelId: null,
  level: null,
  mutedUntil: null,
  suppressEveryone: false,
  favorite: false,
  hidden: false,
  ...more,
});
const channels = [unread("a", "g", 5, 2), unread("b", "g", 3), unread("d", null, 4)];

test("counts messages of others and mentions", () => {
  const wanted = unmutedUnread(channels, [], NOW);
  expect([...wanted.keys()]).toEqual(["a", "b", "d"]);
  expect(badgeCount(channels, wanted)).toBe(2 + 4);
});

test("ignores muted places until the mute ends", () => {
  const muted = [setting({ channelId: "d", mutedUntil: "2026-11-21T13:00:00Z" })];
  expect(badgeCount(channels, unmutedUnread(channels, muted, NOW))).toBe(2);
  expect(badgeCount(channels, unmutedUnread(channels, muted, NOW + 2 * 3_600_000))).toBe(6);
  const group = [setting({ groupId: "g", mutedUntil: "9999-12-31T23:59:59.999Z" })];
  expect([...unmutedUnread(channels, group, NOW).keys()]).toEqual(["d"]);
});

test("only counts mentions if notifications are off; the channel's setting wins", () => {
  const nothing = setting({ groupId: "g", level: "nothing" });
  expect([...unmutedUnread(channels, [nothing], NOW).keys()]).toEqual(["a", "d"]);
  const channel = setting({ groupId: "g", channelId: "b", level: "all" });
  expect([...unmutedUnread(channels, [nothing, channel], NOW).keys()]).toEqual(["a", "b", "d"]);
});

test("only counts mentions in hidden channels", () => {
  const hidden = ["a", "b"].map((channelId) => setting({ channelId, hidden: true }));
  expect([...unmutedUnread(channels, hidden, NOW)]).toEqual([
    ["a", { messages: 2, mentions: 2 }],
    ["d", { messages: 4, mentions: 0 }],
  ]);
});

test("threads have the settings of their channel, unless they have their own", () => {
  const threads = [unread("t", "g", 5, 0, "a"), unread("u", "g", 3, 0, "a")];
  const muted = setting({ channelId: "a", mutedUntil: "9999-12-31T23:59:59.999Z" });
  expect([...unmutedUnread(threads, [muted, setting({ channelId: "u" })], NOW).keys()]).toEqual(["u"]);
});
