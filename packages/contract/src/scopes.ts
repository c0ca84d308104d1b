import { z } from "zod";
import type { ActionName } from "./actions.ts";

/** What the token of a bot can be good for, besides what the bot's user may: both have to allow it. */
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

/** What bots can do at all, and the scope it needs; `any`: no certain one. What is not listed here is refused to them. */
const SCOPES: { [N in ActionName]?: BotScope | "any" } = {
  "bot.me": "any",
  "user.me": "any",

  "user.get": "group.read",
  "user.getMany": "group.read",
  "group.get": "group.read",
  "group.listMine": "group.read",
  "group.myPermissions": "group.read",
  "group.listMembers": "group.read",
  "group.getMember": "group.read",
  "group.getMembers": "group.read",
  "role.list": "group.read",
  "channel.list": "group.read",
  "channel.listThreads": "group.read",
  "command.list": "group.read",

  "message.get": "messages.read",
  "message.list": "messages.read",
  "message.listPins": "messages.read",
  "message.listReactors": "messages.read",
  "message.search": "messages.read",
  "channel.sync": "messages.read",
  "channel.markRead": "messages.read",
  "file.get": "messages.read",
  "file.getUrl": "messages.read",
  "file.getUrls": "messages.read",

  "message.send": "messages.write",
  "message.edit": "messages.write",
  "message.delete": "messages.write",
  "message.react": "messages.write",
  "message.unreact": "messages.write",
  "message.listOwnReactions": "messages.write",
  "channel.typing": "messages.write",
  "channel.openThread": "messages.write",
  "file.startUpload": "messages.write",
  "file.delete": "messages.write",

  "message.pin": "messages.manage",
  "message.unpin": "messages.manage",
  "message.listEdits": "messages.manage",
  "channel.archiveThread": "messages.manage",
  "channel.unarchiveThread": "messages.manage",

  "channel.create": "channels.manage",
  "channel.update": "channels.manage",
  "channel.reorder": "channels.manage",
  "channel.delete": "channels.manage",

  "group.kick": "members.manage",
  "group.ban": "members.manage",
  "group.unban": "members.manage",
  "group.listBans": "members.manage",
  "group.mute": "members.manage",
  "group.unmute": "members.manage",
  "group.auditLog": "members.manage",

  "role.create": "roles.manage",
  "role.update": "roles.manage",
  "role.assign": "roles.manage",
  "role.unassign": "roles.manage",

  "invite.create": "invites.manage",
  "invite.list": "invites.manage",
  "invite.revoke": "invites.manage",

  "command.register": "commands",
  "command.unregister": "commands",

  "bot.subscribe": "events",
  "bot.unsubscribe": "events",
};

/** undefined: no bot can do it. */
export function scopeOf(name: string): BotScope | "any" | undefined {
  return Object.hasOwn(SCOPES, name) ? SCOPES[name as ActionName] : undefined;
}
