import { z } from "zod";

/** What a bot's token can allow. The permissions of the bot's user apply as well. */
export const botScope = z.enum([
  "group.read",
  "messages.read",
  "messages.write",
  "messages.manage",
  "channels.manage",
  "members.manage",
  "roles.manage",
  "invites.manage",
  "commands",
  "events",
]);
export type BotScope = z.output<typeof botScope>;
