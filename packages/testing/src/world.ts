import type { Channel, Group, Message } from "@fanfare/contract";
import { must } from "./api.ts";

export interface Person {
  userId: string;
  sessionId: string;
  accessToken: string;
}

/** A group with one user for each case of the permission rules. */
export interface World {
  owner: Person;
  member: Person;
  muted: Person;
  /** The member that moderation actions apply to. */
  target: Person;
  /** A non-member. */
  stranger: Person;
  group: Group;
  channel: Channel;
  /** A message by `target`. */
  message: Message;
  inviteCode: string;
}

export async function createGuest(url: string): Promise<Person> {
  return person(await must(url, "user.createGuest", {}));
}

let accounts = 0;

/** Creates an account with the password "correct horse". */
export async function createAccount(url: string): Promise<Person & { username: string }> {
  accounts += 1;
  const username = `user${accounts}-${process.pid}-${Date.now().toString(36)}`;
  return { ...person(await must(url, "user.register", { username, password: "correct horse" })), username };
}

export async function createWorld(url: string): Promise<World> {
  const [owner, member, muted, target, stranger] = await Promise.all(
    Array.from({ length: 5 }, () => createGuest(url)),
  );
  if (!owner || !member || !muted || !target || !stranger) throw new Error("unreachable");
  const { group, channels } = await must(url, "group.create", { name: "A group" }, owner.accessToken);
  const { invite } = await must(url, "invite.create", { groupId: group.id }, owner.accessToken);
  for (const { accessToken } of [member, muted, target]) {
    await must(url, "invite.accept", { code: invite.code }, accessToken);
  }
  const channel = channels[0]!;
  const { message } = await must(
    url,
    "message.send",
    { channelId: channel.id, content: "Here is the target.", nonce: "of-target" },
    target.accessToken,
  );
  const mute = { groupId: group.id, userId: muted.userId, durationMs: 3_600_000 };
  await must(url, "group.mute", mute, owner.accessToken);
  return { owner, member, muted, target, stranger, group, channel, message, inviteCode: invite.code };
}

function person(tokens: { user: { id: string }; sessionId: string; accessToken: string }): Person {
  return { userId: tokens.user.id, sessionId: tokens.sessionId, accessToken: tokens.accessToken };
}
