import { DIRECT_PERMISSIONS, MEMBER_PERMISSIONS, PERMISSIONS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { canPin } from "./message.policy.ts";

const access = (permissions: number, groupId: string | null) => ({
  permissions,
  groupId,
  mutedUntilMs: 0,
  rooms: [],
});

test("in groups, members who manage messages can pin; in direct channels, all participants who can write", () => {
  expect(canPin(access(MEMBER_PERMISSIONS, "group"))).toBe(false);
  expect(canPin(access(MEMBER_PERMISSIONS | PERMISSIONS.manageMessages, "group"))).toBe(true);
  expect(canPin(access(DIRECT_PERMISSIONS, null))).toBe(true);
  expect(canPin(access(PERMISSIONS.view, null)), "one of them has blocked the other").toBe(false);
});
