import type { BotScope } from "@fanfare/contract";

/** All of them: the compiler sees to it. */
const ALL: Record<BotScope, true> = {
  "group.read": true,
  "messages.read": true,
  "messages.write": true,
  "messages.manage": true,
  "channels.manage": true,
  "members.manage": true,
  "roles.manage": true,
  "invites.manage": true,
  commands: true,
  events: true,
};

/** What the token of a bot can be good for. */
export const BOT_SCOPES = Object.keys(ALL) as BotScope[];
