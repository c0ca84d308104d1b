import { describe, expect, test } from "vitest";
import { directKey } from "./direct/directs.ts";
import { directPermissions, isInviteUsable, canManageInvite } from "./group.policy.ts";

describe("permissions", () => {
  test("only the two users of a direct channel have access", () => {
    expect(directPermissions(["a", "b"], "b")).not.toBe(0);
    expect(directPermissions(["a", "b"], "c")).toBe(0);
  });

  test("invites can be revoked by their creator and by members who manage invites", () => {
    expect(canManageInvite("a", "a", false)).toBe(true);
    expect(canManageInvite("a", "b", false)).toBe(false);
    expect(canManageInvite("a", "b", true)).toBe(true);
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

test("the direct key doesn't depend on the order of the users", () => {
  expect(directKey("b", "a")).toBe(directKey("a", "b"));
  expect(directKey("a", "b")).not.toBe(directKey("a", "c"));
});
