import type { World } from "@fanfare/testing";
import { row, targetOf } from "../row.ts";

const groupOf = ({ group }: World) => ({ groupId: group.id });

export const groupRows = {
  "group.create": row("group.create", () => ({ name: "Another group" })),
  "group.get": row("group.get", groupOf),
  "group.listMine": row("group.listMine", () => ({})),
  "group.update": row("group.update", (world) => ({ ...groupOf(world), name: "Renamed" })),
  "group.listDirectory": row("group.listDirectory", () => ({})),
  "group.joinListed": row("group.joinListed", groupOf, {
    why: "the group isn't listed",
    allowed: "GROUP_NOT_FOUND",
  }),
  "group.delete": row("group.delete", groupOf),
  "group.transfer": row("group.transfer", targetOf),
  "group.listMembers": row("group.listMembers", groupOf),
  "group.getMember": row("group.getMember", targetOf),
  "group.getMembers": row("group.getMembers", ({ group, target }) => ({
    groupId: group.id,
    userIds: [target.userId],
  })),
  "group.setOwnNickname": row("group.setOwnNickname", (world) => ({
    ...groupOf(world),
    nickname: "Captain",
  })),
  "group.setNickname": row("group.setNickname", (world) => ({ ...targetOf(world), nickname: "Captain" })),
  "group.listNicknames": row("group.listNicknames", groupOf),
  "group.listMemberChanges": row("group.listMemberChanges", groupOf),
  "group.leave": row("group.leave", groupOf, {
    why: "a group always has an owner",
    owner: "OWNER_CANNOT_LEAVE",
  }),
  "group.kick": row("group.kick", targetOf),
  "group.ban": row("group.ban", targetOf),
  "group.unban": row("group.unban", targetOf),
  "group.listBans": row("group.listBans", groupOf),
  "group.auditLog": row("group.auditLog", groupOf),
  "group.startExport": row("group.startExport", groupOf),
  "group.myPermissions": row("group.myPermissions", groupOf),
  "group.mute": row("group.mute", (world) => ({ ...targetOf(world), durationMs: 60_000 })),
  "group.unmute": row("group.unmute", targetOf),
};
