import type { NotificationSetting } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { shouldNotify, reasonOf } from "./watch-messages.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const setting = (more: Partial<NotificationSetting>): NotificationSetting => ({
  groupId: "g",
  channelId: null,
  level: null,
  mutedUntil: null,
  suppressEveryone: false,
  favorite: false,
  hidden: false,
  ...more,
});

describe("reasonOf", () => {
  const listener = { userId: "me", keywords: ["launch"], roleIds: ["crew"], group: undefined };
  const content = "Hello";
  const of = (mentions: Partial<{ userIds: string[]; roleIds: string[]; everyone: boolean }>) => ({
    content,
    mentions: { userIds: [], roleIds: [], everyone: false, ...mentions },
  });

  test("mentions by name, by role and with @everyone", () => {
    expect(reasonOf(of({ userIds: ["me"] }), "g", listener)).toBe("mention");
    expect(reasonOf(of({ roleIds: ["crew"] }), "g", listener)).toBe("mention");
    expect(reasonOf(of({ everyone: true }), "g", listener)).toBe("mention");
    expect(reasonOf(of({ userIds: ["you"], roleIds: ["guests"] }), "g", listener)).toBe("any");
    expect(reasonOf({ content }, null, listener)).toBe("direct");
    expect(reasonOf({ content: "After the launch" }, "g", listener)).toBe("mention");
  });

  test("ignores suppressed @everyone mentions", () => {
    const group = setting({ suppressEveryone: true });
    expect(reasonOf(of({ everyone: true }), "g", { ...listener, group })).toBe("any");
    expect(reasonOf(of({ everyone: true, userIds: ["me"] }), "g", { ...listener, group })).toBe("mention");
  });
});

describe("shouldNotify", () => {
  const wanted = (
    reason: "direct" | "mention" | "any",
    group?: Partial<NotificationSetting>,
    channel?: Partial<NotificationSetting>,
  ) =>
    shouldNotify(reason, {
      group: group && setting(group),
      channel: channel && setting({ channelId: "c", ...channel }),
      nowMs,
    });

  test("by default notifies about mentions and direct messages", () => {
    expect([wanted("mention"), wanted("direct"), wanted("any")]).toEqual([true, true, false]);
  });

  test("the channel's setting wins", () => {
    expect(wanted("any", { level: "all" })).toBe(true);
    expect(wanted("any", { level: "all" }, { level: "mentions" })).toBe(false);
    expect(wanted("mention", { level: "nothing" })).toBe(false);
    expect(wanted("mention", { level: "nothing" }, { level: "mentions" })).toBe(true);
    expect(wanted("direct", undefined, { level: "mentions" })).toBe(false);
  });

  test("a hidden channel only notifies about mentions", () => {
    expect(wanted("any", { level: "all" }, { hidden: true })).toBe(false);
    expect(wanted("mention", { level: "all" }, { hidden: true })).toBe(true);
    expect(wanted("mention", { level: "nothing" }, { hidden: true })).toBe(false);
  });

  test("does not notify while the channel or group is muted", () => {
    const later = "2026-11-21T13:00:00Z";
    expect(wanted("mention", { mutedUntil: later })).toBe(false);
    expect(wanted("mention", undefined, { mutedUntil: later })).toBe(false);
    expect(wanted("mention", { mutedUntil: "2026-11-21T11:00:00Z" })).toBe(true);
  });
});
