import {
  type Channel,
  type Group,
  type Message,
  type ActionName,
  type Params,
  type Result,
  type WireAnswer,
  botScope,
  MEMBER_PERMISSIONS,
  PERMISSIONS,
} from "@fanfare/contract";

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

/** Calls an action by HTTP and returns the response as is, for tests of errors. */
export async function post<N extends ActionName>(
  url: string,
  name: N,
  params: Params<N>,
  accessToken?: string,
): Promise<WireAnswer<Result<N>>> {
  return postRaw(url, name, JSON.stringify(params), accessToken) as Promise<WireAnswer<Result<N>>>;
}

/** Calls with any name and body, for tests of invalid input. */
export async function postRaw(
  url: string,
  name: string,
  body: string,
  accessToken?: string,
): Promise<WireAnswer<unknown>> {
  const response = await fetch(`${url}/api/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
    body,
  });
  return (await response.json()) as WireAnswer<unknown>;
}

/**
 * Calls an action by HTTP and returns its result.
 * @throws {Error} with the response if it isn't successful
 */
export async function must<N extends ActionName>(
  url: string,
  name: N,
  params: Params<N>,
  accessToken?: string,
): Promise<Result<N>> {
  const answer = await post(url, name, params, accessToken);
  if (!answer.ok) throw new Error(`${name} failed: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

/** One user for each case of the permission rules. All except `guest` have accounts with the password "correct horse". */
export interface Cast {
  owner: Person;
  moderator: Person;
  member: Person;
  muted: Person;
  /** A member without an account. */
  guest: Person;
  /** A banned former member. */
  banned: Person;
  stranger: Person;
  /** An instance admin outside the group. */
  admin: Person;
  /** The member that moderation actions apply to. */
  target: Person;
}

/** A group in which the users of a cast have their roles. */
export type Stage = World & Cast & { bot: Person };

/** The permissions of the moderator role, including those of all members. */
export const MODERATOR_PERMISSIONS =
  MEMBER_PERMISSIONS |
  PERMISSIONS.manageMessages |
  PERMISSIONS.manageInvites |
  PERMISSIONS.muteMembers |
  PERMISSIONS.kickMembers |
  PERMISSIONS.banMembers |
  PERMISSIONS.viewAuditLog;

const MUTE_MS = 3_600_000;

/** @param root an admin of the instance: on a new one, the first account */
export async function createCast(url: string, root: Person): Promise<Cast> {
  const account = (): Promise<Person> => createAccount(url);
  const [owner, moderator, member, muted, guest, banned, stranger, target, admin] = await Promise.all([
    account(),
    account(),
    account(),
    account(),
    createGuest(url),
    account(),
    account(),
    account(),
    createAdmin(url, root),
  ]);
  return { owner, moderator, member, muted, guest, banned, stranger, admin, target };
}

async function createAdmin(url: string, root: Person): Promise<Person> {
  const { username, userId } = await createAccount(url);
  await must(url, "admin.setAdmin", { userId, admin: true }, root.accessToken);
  // The admin claim is in the access token, so a new login is needed.
  const { accessToken, sessionId } = await must(url, "user.login", { username, password: "correct horse" });
  return { userId, sessionId, accessToken };
}

/** Creates a group with one channel and a message by `target`. */
export async function createStage(url: string, cast: Cast): Promise<Stage> {
  const { owner, moderator, member, muted, guest, banned, target } = cast;
  const asOwner = owner.accessToken;
  const { group, channels } = await must(url, "group.create", { name: "A group" }, asOwner);
  const groupId = group.id;
  const { invite } = await must(url, "invite.create", { groupId }, asOwner);
  const members = [moderator, member, muted, guest, banned, target];
  await Promise.all(
    members.map(({ accessToken }) => must(url, "invite.accept", { code: invite.code }, accessToken)),
  );
  const role = { groupId, name: "Moderators", permissions: MODERATOR_PERMISSIONS };
  const { role: moderators } = await must(url, "role.create", role, asOwner);
  const channel = channels[0]!;
  const text = { channelId: channel.id, content: "Here is the target.", nonce: `of-target-${channel.id}` };
  const wanted = { groupId, name: "Robot", scopes: botScope.options };
  const [{ message }, robot] = await Promise.all([
    must(url, "message.send", text, target.accessToken),
    must(url, "bot.create", wanted, asOwner),
    must(url, "role.assign", { groupId, roleId: moderators.id, userId: moderator.userId }, asOwner),
    must(url, "group.mute", { groupId, userId: muted.userId, durationMs: MUTE_MS }, asOwner),
    must(url, "group.ban", { groupId, userId: banned.userId }, asOwner),
  ]);
  const bot = { userId: robot.bot.id, sessionId: "", accessToken: robot.token };
  return { ...cast, bot, group, channel, message, inviteCode: invite.code };
}
