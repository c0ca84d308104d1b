import { DIRECT_PERMISSIONS, MEMBER_PERMISSIONS, OWNER_PERMISSIONS, type Actor } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { type Access, checkAccess, checkActor } from "./access.ts";

const member: Actor = { userId: "u", sessionId: "s", kind: "member" };
const guest: Actor = { ...member, kind: "guest" };
const admin: Actor = { ...member, admin: true };
const access = (permissions: number, mutedUntilMs = 0): Access => ({
  permissions,
  groupId: "g",
  mutedUntilMs,
  rooms: [],
});
const now = 1_000_000;

describe("before any lookup", () => {
  test.each([
    ["public", null, undefined],
    ["session", null, "UNAUTHENTICATED"],
    ["session", guest, undefined],
    ["account", null, "UNAUTHENTICATED"],
    ["account", guest, "GUEST_NOT_ALLOWED"],
    ["account", member, undefined],
    ["admin", null, "UNAUTHENTICATED"],
    ["admin", guest, "FORBIDDEN"],
    ["admin", member, "FORBIDDEN"],
    ["admin", admin, undefined],
  ] as const)("%s as %j", (rule, actor, expected) => {
    expect(checkActor({ rule }, actor)?.type).toBe(expected);
  });
  test("groups and channels require a session", () => {
    expect(checkActor({ rule: "channel", can: "view" }, null)?.type).toBe("UNAUTHENTICATED");
  });
});

describe("in a group or channel", () => {
  test.each([
    ["stranger reads", "channel", "view", access(0), "CHANNEL_NOT_FOUND"],
    ["stranger manages", "group", "manageGroup", access(0), "GROUP_NOT_FOUND"],
    ["member reads", "channel", "view", access(MEMBER_PERMISSIONS), undefined],
    ["member kicks", "group", "kickMembers", access(MEMBER_PERMISSIONS), "FORBIDDEN"],
    ["owner kicks", "group", "kickMembers", access(OWNER_PERMISSIONS), undefined],
    ["muted writes", "channel", "sendMessages", access(MEMBER_PERMISSIONS, now + 1), "MUTED"],
    ["muted reads", "channel", "view", access(MEMBER_PERMISSIONS, now + 1), undefined],
    ["no longer muted writes", "channel", "sendMessages", access(MEMBER_PERMISSIONS, now), undefined],
    ["friend manages a direct channel", "channel", "manageChannels", access(DIRECT_PERMISSIONS), "FORBIDDEN"],
  ] as const)("%s", (_what, rule, can, who, expected) => {
    expect(checkAccess({ rule, can }, who, now)?.type).toBe(expected);
  });
});
