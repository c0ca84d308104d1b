import { row } from "../row.ts";

export const inviteRows = {
  "invite.create": row("invite.create", ({ group }) => ({ groupId: group.id })),
  "invite.email": row("invite.email", ({ group }) => ({ groupId: group.id, emails: ["ada@example.org"] }), {
    why: "the server of the matrix sends no emails, and guests could not anyway",
    allowed: "EMAIL_OFF",
    guest: "GUEST_NOT_ALLOWED",
  }),
  "invite.list": row("invite.list", ({ group }) => ({ groupId: group.id })),
  "invite.revoke": row(
    "invite.revoke",
    ({ group, inviteCode }) => ({ groupId: group.id, code: inviteCode }),
    {
      why: "members can only revoke their own invites, and this is the owner's",
      member: "FORBIDDEN",
      guest: "FORBIDDEN",
      muted: "FORBIDDEN",
      bot: "FORBIDDEN",
    },
  ),
  "invite.preview": row("invite.preview", ({ inviteCode }) => ({ code: inviteCode })),
  "invite.accept": row("invite.accept", ({ inviteCode }) => ({ code: inviteCode }), {
    why: "banned users can't rejoin, and get the reason",
    banned: "BANNED",
  }),
};
