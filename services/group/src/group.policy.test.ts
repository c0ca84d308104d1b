import { MEMBER_PERMISSIONS, OWNER_PERMISSIONS } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { directKey } from "./direct-key.ts";
import {
  directPermissions,
  groupPermissions,
  isInviteUsable,
  mayModerate,
  mayTouchInvite,
} from "./group.policy.ts";

describe("permissions", () => {
  test.each([
    ["owner", true, OWNER_PERMISSIONS],
    ["member", true, MEMBER_PERMISSIONS],
    ["stranger", false, 0],
    ["owner", false, 0],
  ])("%s, member: %s", (userId, isMember, permissions) => {
    expect(groupPermissions("owner", userId, isMember)).toBe(permissions);
  });

  test("a direct channel is for its two users", () => {
    expect(directPermissions(["a", "b"], "b")).not.toBe(0);
    expect(directPermissions(["a", "b"], "c")).toBe(0);
  });

  test("the owner and oneself are protected", () => {
    expect(mayModerate("moderator", "member", "owner")).toBe(true);
    expect(mayModerate("moderator", "owner", "owner")).toBe(false);
    expect(mayModerate("moderator", "moderator", "owner")).toBe(false);
  });

  test("invites are touched by who made them and by who manages invites", () => {
    expect(mayTouchInvite("a", "a", false)).toBe(true);
    expect(mayTouchInvite("a", "b", false)).toBe(false);
    expect(mayTouchInvite("a", "b", true)).toBe(true);
  });
});

describe("invites", () => {
  const now = new Date();
  const later = new Date(now.getTime() + 1);
  test.each([
    [{ uses: 9, maxUses: null, expiresAt: null }, true],
    [{ uses: 9, maxUses: 10, expiresAt: later }, true],
    [{ uses: 10, maxUses: 10, expiresAt: null }, false],
    [{ uses: 0, maxUses: null, expiresAt: now }, false],
  ])("%j: %s", (invite, usable) => {
    expect(isInviteUsable(invite, now)).toBe(usable);
  });
});

test("two users have one direct key", () => {
  expect(directKey("b", "a")).toBe(directKey("a", "b"));
  expect(directKey("a", "b")).not.toBe(directKey("a", "c"));
});
