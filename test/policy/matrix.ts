import type { ActionName, ErrorCode, Params } from "@fanfare/contract";
import type { World } from "@fanfare/testing";

export const ACTORS = ["anonymous", "stranger", "member", "muted", "owner"] as const;
export type ActorName = (typeof ACTORS)[number];

/** "ok", or the error that the actor must get. */
export type Outcome = "ok" | ErrorCode;
export type Row = [outcomes: Record<ActorName, Outcome>, params: (world: World) => unknown];

type InternalAction =
  | "user.listRevokedSessions"
  | "group.access"
  | "group.listRooms"
  | "group.listAcquaintances"
  | "presence.report"
  | "message.removeChannels"
  | "message.listHeads";

const row = <N extends ActionName>(
  _name: N,
  outcomes: Record<ActorName, Outcome>,
  params: (world: World) => Params<N>,
): Row => [outcomes, params];

const outcomes = (
  anonymous: Outcome,
  stranger: Outcome,
  member: Outcome,
  muted: Outcome,
  owner: Outcome,
) => ({
  anonymous,
  stranger,
  member,
  muted,
  owner,
});

const everybody = outcomes("ok", "ok", "ok", "ok", "ok");
const loggedIn = outcomes("UNAUTHENTICATED", "ok", "ok", "ok", "ok");
const inGroup = outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "ok", "ok", "ok");
const inChannel = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "ok", "ok", "ok");
const groupOwner = outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok");
const channelOwner = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok");
/** The world's people are guests. */
const accountsOnly = outcomes(
  "UNAUTHENTICATED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
);

let names = 0;
const freshName = (): string => `matrix${(names += 1)}-${Date.now().toString(36)}`;
const password = "correct horse";
const targetOf = ({ group, target }: World) => ({ groupId: group.id, userId: target.userId });
const messageOf = ({ channel, message }: World) => ({ channelId: channel.id, messageId: message.id });

/** Who gets what from every action that can be reached from outside: an action without a row does not compile. */
export const MATRIX: Record<Exclude<ActionName, InternalAction>, Row> = {
  "user.register": row("user.register", everybody, () => ({ username: freshName(), password })),
  "user.login": row(
    "user.login",
    outcomes(
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
    ),
    () => ({ username: "nobody", password }),
  ),
  "user.createGuest": row("user.createGuest", everybody, () => ({})),
  "user.claimGuest": row("user.claimGuest", loggedIn, () => ({ username: freshName(), password })),
  "user.refresh": row(
    "user.refresh",
    outcomes("UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"),
    () => ({ refreshToken: "forged" }),
  ),
  "user.logout": row("user.logout", loggedIn, () => ({})),
  "user.logoutAll": row("user.logoutAll", loggedIn, () => ({})),
  "user.me": row("user.me", loggedIn, () => ({})),
  "user.get": row("user.get", loggedIn, ({ target }) => ({ userId: target.userId })),
  "user.getMany": row("user.getMany", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "user.updateProfile": row("user.updateProfile", loggedIn, () => ({ nickname: "Somebody" })),
  "user.changePassword": row("user.changePassword", accountsOnly, () => ({
    oldPassword: "x",
    newPassword: password,
  })),

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
  "group.mute": row("group.mute", groupOwner, (world) => ({ ...targetOf(world), durationMs: 60_000 })),
  "group.unmute": row("group.unmute", groupOwner, targetOf),

  "channel.create": row("channel.create", groupOwner, ({ group }) => ({ groupId: group.id, name: "new" })),
  "channel.update": row("channel.update", channelOwner, ({ channel }) => ({
    channelId: channel.id,
    name: "renamed",
  })),
  "channel.delete": row("channel.delete", channelOwner, ({ channel }) => ({ channelId: channel.id })),
  "channel.list": row("channel.list", inGroup, ({ group }) => ({ groupId: group.id })),
  "channel.openDirect": row("channel.openDirect", loggedIn, ({ target }) => ({ userId: target.userId })),
  "channel.listDirect": row("channel.listDirect", loggedIn, () => ({})),
  "channel.markRead": row("channel.markRead", inChannel, ({ channel }) => ({
    channelId: channel.id,
    seq: 1,
  })),
  // Answers "gone" for a channel that the caller does not see: matrix.test.ts looks at it more closely.
  "channel.sync": row("channel.sync", loggedIn, ({ channel }) => ({
    cursors: [{ channelId: channel.id, afterRev: 0 }],
  })),

  "invite.create": row("invite.create", inGroup, ({ group }) => ({ groupId: group.id })),
  "invite.list": row("invite.list", inGroup, ({ group }) => ({ groupId: group.id })),
  "invite.revoke": row(
    "invite.revoke",
    outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok"),
    ({ group, inviteCode }) => ({ groupId: group.id, code: inviteCode }),
  ),
  "invite.preview": row("invite.preview", everybody, ({ inviteCode }) => ({ code: inviteCode })),
  "invite.accept": row("invite.accept", loggedIn, ({ inviteCode }) => ({ code: inviteCode })),

  "message.send": row("message.send", { ...inChannel, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
    content: "Hello",
    nonce: freshName(),
  })),
  // The message is somebody else's: only its author may edit it, not even the owner of the group.
  "message.edit": row(
    "message.edit",
    outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "MUTED", "FORBIDDEN"),
    (world) => ({ ...messageOf(world), content: "Changed" }),
  ),
  "message.delete": row("message.delete", channelOwner, messageOf),
  "message.get": row("message.get", inChannel, messageOf),
  // Leaves out whom the caller has nothing to do with: matrix.test.ts looks at it more closely.
  "presence.watch": row("presence.watch", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "presence.unwatch": row("presence.unwatch", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "presence.setStatus": row("presence.setStatus", loggedIn, () => ({ status: "idle" })),
  "channel.typing": row("channel.typing", { ...inChannel, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
  })),

  "message.list": row("message.list", inChannel, ({ channel }) => ({ channelId: channel.id })),
};
