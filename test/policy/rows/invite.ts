import { row, outcomes, everybody, loggedIn, inGroup } from "../row.ts";

export const inviteRows = {
  "invite.create": row("invite.create", inGroup, ({ group }) => ({ groupId: group.id })),
  "invite.list": row("invite.list", inGroup, ({ group }) => ({ groupId: group.id })),
  "invite.revoke": row(
    "invite.revoke",
    outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok"),
    ({ group, inviteCode }) => ({ groupId: group.id, code: inviteCode }),
  ),
  "invite.preview": row("invite.preview", everybody, ({ inviteCode }) => ({ code: inviteCode })),
  "invite.accept": row("invite.accept", loggedIn, ({ inviteCode }) => ({ code: inviteCode })),
};
