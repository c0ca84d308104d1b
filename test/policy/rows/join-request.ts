import { row, targetOf } from "../row.ts";

const closing = (world: Parameters<typeof targetOf>[0]) => ({
  groupId: world.group.id,
  userIds: [targetOf(world).userId],
});

export const joinRequestRows = {
  "join.request": row("join.request", ({ inviteCode }) => ({ code: inviteCode }), {
    why: "banned users can't rejoin, and get the reason",
    banned: "BANNED",
  }),
  "join.withdraw": row("join.withdraw", ({ group }) => ({ groupId: group.id })),
  "join.listMine": row("join.listMine", () => ({})),
  "join.list": row("join.list", ({ group }) => ({ groupId: group.id })),
  "join.getOpenCount": row("join.getOpenCount", ({ group }) => ({ groupId: group.id })),
  "join.approve": row("join.approve", closing),
  "join.reject": row("join.reject", closing),
  "group.startLockdown": row("group.startLockdown", ({ group }) => ({ groupId: group.id })),
  "group.endLockdown": row("group.endLockdown", ({ group }) => ({ groupId: group.id })),
};
