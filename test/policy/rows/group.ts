import { row, loggedIn, inGroup, groupOwner, targetOf } from "../row.ts";

export const groupRows = {
  "group.create": row("group.create", loggedIn, () => ({ name: "Another group" })),
  "group.get": row("group.get", inGroup, ({ group }) => ({ groupId: group.id })),
  "group.listMine": row("group.listMine", loggedIn, () => ({})),
  "group.update": row("group.update", groupOwner, ({ group }) => ({ groupId: group.id, name: "Renamed" })),
  "group.delete": row("group.delete", groupOwner, ({ group }) => ({ groupId: group.id })),
  "group.transfer": row("group.transfer", { ...groupOwner, owner: "GUEST_NOT_ALLOWED" }, targetOf),
  "group.listMembers": row("group.listMembers", inGroup, ({ group }) => ({ groupId: group.id })),
  "group.getMember": row("group.getMember", inGroup, targetOf),
  "group.leave": row("group.leave", { ...inGroup, owner: "OWNER_CANNOT_LEAVE" }, ({ group }) => ({
    groupId: group.id,
  })),
  "group.kick": row("group.kick", groupOwner, targetOf),
  "group.ban": row("group.ban", groupOwner, targetOf),
  "group.unban": row("group.unban", groupOwner, targetOf),
  "group.listBans": row("group.listBans", groupOwner, ({ group }) => ({ groupId: group.id })),
  "group.auditLog": row("group.auditLog", groupOwner, ({ group }) => ({ groupId: group.id })),
  "group.myPermissions": row("group.myPermissions", inGroup, ({ group }) => ({ groupId: group.id })),
  "group.mute": row("group.mute", groupOwner, (world) => ({ ...targetOf(world), durationMs: 60_000 })),
  "group.unmute": row("group.unmute", groupOwner, targetOf),
};
