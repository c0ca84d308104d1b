import { LIMITS } from "@fanfare/contract";
import { mongo } from "mongoose";
import { CliError } from "../cli-error.ts";
import { MENTION, type Content, type LineOf } from "./lines.ts";

/** Stored by the services: see their models. */
type Stored = mongo.Document & { _id: mongo.ObjectId };

const USERS_PER_LOOK_UP = 1000;
const NOT_DELETED = { deletedAt: { $exists: false } };

/**
 * A group as it is: roles, channels with their threads, members, messages with their reactions, and last the users that all
 * of these name. Not in it: bans, invites, bots, webhooks, former texts of messages, and the content of files.
 */
export async function* groupContent(db: mongo.Db, groupId: mongo.ObjectId): AsyncGenerator<Content> {
  const group = await db.collection<Stored>("groups").findOne({ _id: groupId, ...NOT_DELETED });
  if (group === null) throw new CliError(`There is no group ${groupId.toHexString()}.`);
  const users = new Set<string>();
  const user = (id: mongo.ObjectId | string): string => {
    users.add(String(id));
    return String(id);
  };
  const channels = await channelsOf(db, groupId);
  // What refers to a place that was deleted is written as referring to none.
  const places = new Set(channels.map(({ _id }) => String(_id)));
  const place = (id: mongo.ObjectId | null | undefined): string | null =>
    places.has(String(id)) ? String(id) : null;
  const filter = await db.collection<Stored>("wordFilters").findOne({ _id: groupId });
  yield {
    type: "group",
    id: String(groupId),
    name: group["name"],
    description: group["description"] ?? "",
    ownerId: user(group["ownerId"]),
    defaultChannelId: place(group["defaultChannelId"]),
    defaultPermissions: group["defaultPermissions"] ?? null,
    retentionDays: group["retentionDays"] ?? null,
    wordFilter: filter === null ? null : { words: filter["words"], onHit: filter["onHit"] },
    createdAt: group["createdAt"].toISOString(),
  };
  const roles = new Set<string>();
  const rolesOf = db.collection<Stored>("roles").find({ groupId, ...NOT_DELETED });
  for await (const role of rolesOf.sort({ position: 1, _id: 1 })) {
    roles.add(String(role._id));
    yield roleLine(role);
  }
  for (const channel of channels)
    yield { ...channelLine(channel, roles, user), sectionId: place(channel["sectionId"]) };
  for await (const member of db
    .collection<Stored>("members")
    .find({ groupId })
    .sort({ joinedAt: 1, _id: 1 })) {
    yield {
      type: "member",
      userId: user(member["userId"]),
      roleIds: ((member["roleIds"] ?? []) as mongo.ObjectId[]).map(String).filter((id) => roles.has(id)),
      mutedUntil: timeOf(member["mutedUntil"]),
      joinedAt: member["joinedAt"].toISOString(),
    };
  }
  for (const { _id: channelId } of channels) {
    for await (const message of db.collection<Stored>("messages").find({ channelId }).sort({ seq: 1 })) {
      const threadId = place(message["threadId"]);
      yield { ...messageLine(message, user), ...(threadId !== null && { threadId }) };
      if (message["reactions"] !== undefined) yield* reactionLines(db, message, user);
    }
  }
  yield* userLines(db, users);
}

/** Sections first, then channels, then their threads: each after what it refers to. */
async function channelsOf(db: mongo.Db, groupId: mongo.ObjectId): Promise<Stored[]> {
  const channels = db.collection<Stored>("channels");
  const found = await channels
    .find({ groupId, ...NOT_DELETED })
    .sort({ position: 1, _id: 1 })
    .toArray();
  const all = [
    ...found.filter(({ kind }) => kind === "section"),
    ...found.filter(({ kind }) => kind !== "section"),
  ];
  for (const { _id } of found) {
    const threads = channels.find({ parentId: _id, ...NOT_DELETED }).sort({ _id: 1 });
    all.push(...(await threads.toArray()));
  }
  return all;
}

function roleLine(role: Stored): LineOf<"role"> {
  return {
    type: "role",
    id: String(role._id),
    name: role["name"],
    color: role["color"] ?? null,
    permissions: role["permissions"],
    position: role["position"],
    mentionable: role["mentionable"],
    createdAt: role["createdAt"].toISOString(),
  };
}

type UserOf = (id: mongo.ObjectId | string) => string;

function channelLine(
  channel: Stored,
  roles: ReadonlySet<string>,
  user: UserOf,
): Omit<LineOf<"channel">, "sectionId"> {
  const overrides: LineOf<"channel">["overrides"] = [];
  for (const { type, id, allow, deny } of channel["overrides"] ?? []) {
    if (type === "everyone") overrides.push({ type, allow, deny });
    else if (type === "member") overrides.push({ type, id: user(id), allow, deny });
    else if (roles.has(String(id))) overrides.push({ type, id: String(id), allow, deny });
  }
  return {
    type: "channel",
    id: String(channel._id),
    kind: channel["kind"],
    name: channel["name"] ?? "",
    topic: channel["topic"] ?? "",
    position: channel["position"],
    slowModeSeconds: channel["slowModeSeconds"] ?? 0,
    overrides,
    thread:
      channel["kind"] === "thread"
        ? {
            parentId: String(channel["parentId"]),
            rootMessageId: String(channel["rootMessageId"]),
            createdBy: user(channel["createdBy"]),
            archivedAt: timeOf(channel["archivedAt"]),
            lastActivityAt: (channel["lastActivityAt"] ?? channel["createdAt"]).toISOString(),
          }
        : null,
    createdAt: channel["createdAt"].toISOString(),
  };
}

function messageLine(message: Stored, user: UserOf): LineOf<"message"> {
  const { mentions, pinnedAt, pinnedBy, as, attachments } = message;
  let content: string = message["content"];
  // Otherwise nothing would say that there was something.
  if (content === "" && attachments !== undefined)
    content = (attachments as { name: string }[])
      .map(({ name }) => name)
      .join("\n")
      .slice(0, LIMITS.messageMaxChars);
  for (const [, role, id] of content.matchAll(MENTION)) if (role === "") user(id!);
  return {
    type: "message",
    id: String(message._id),
    channelId: String(message["channelId"]),
    authorId: user(message["authorId"]),
    content,
    replyTo: textOf(message["replyTo"]),
    createdAt: message["createdAt"].toISOString(),
    editedAt: timeOf(message["editedAt"]),
    deletedAt: timeOf(message["deletedAt"]),
    editCount: message["editCount"] ?? 0,
    ...(mentions !== undefined && {
      mentions: {
        userIds: (mentions.userIds as string[]).map(user),
        roleIds: mentions.roleIds,
        everyone: mentions.everyone,
      },
    }),
    ...(pinnedAt !== undefined && { pinned: { at: pinnedAt.toISOString(), by: user(pinnedBy) } }),
    ...(as !== undefined && { as: as.name }),
  };
}

/** In the order in which the message shows them, and within that of those who reacted. */
async function* reactionLines(db: mongo.Db, message: Stored, user: UserOf): AsyncGenerator<Content> {
  for (const { emoji } of message["reactions"] as { emoji: string }[]) {
    const found = db.collection<Stored>("reactions").find({ messageId: message._id, emoji });
    for await (const { userId } of found.sort({ _id: 1 }))
      yield { type: "reaction", messageId: String(message._id), emoji, userId: user(userId) };
  }
}

/** Of each one line, also where nothing is known of it any more. */
async function* userLines(db: mongo.Db, ids: ReadonlySet<string>): AsyncGenerator<Content> {
  const all = [...ids];
  for (let at = 0; at < all.length; at += USERS_PER_LOOK_UP) {
    const some = all.slice(at, at + USERS_PER_LOOK_UP);
    const _id = { $in: some.map((id) => new mongo.ObjectId(id)) };
    const users = await db
      .collection<Stored>("users")
      .find({ _id, ...NOT_DELETED })
      .toArray();
    const found = new Map(users.map((user) => [String(user._id), user]));
    for (const id of some) {
      const known = found.get(id);
      yield {
        type: "user",
        id,
        username: (known?.["username"] as string | undefined) ?? null,
        nickname: (known?.["nickname"] as string | undefined) ?? null,
      };
    }
  }
}

const textOf = (id: mongo.ObjectId | null | undefined): string | null => (id == null ? null : String(id));
const timeOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;
