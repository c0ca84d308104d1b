import { bold, mrkdwn, paragraphs } from "@fanfare/markup";
import { z } from "zod";
import { openDump } from "./bson.ts";
import { firstOf, gridFiles, mediaFiles } from "./export-files.ts";
import {
  addAuthor,
  addUser,
  cardText,
  emojiOf,
  fileMark,
  flag,
  type HistoryChannel,
  type HistoryFile,
  type HistoryMessage,
  type HistoryThread,
  type Importer,
  list,
  maybe,
  type MessageRef,
  number,
  strings,
  text,
  ThreadFinder,
  type Users,
  withMentions,
} from "./history.ts";
import { InvalidExportError } from "./inputs.ts";
import type { Report } from "./report.ts";

// The database of Rocket.Chat, as `mongodump` writes it: rooms, subscriptions, messages and users.

const MAX_TEXT_CHARS = 100_000;
const DIRECT = "d";
const ROOMS: ReadonlySet<string> = new Set(["c", "p", DIRECT]);
/** With members of their own. */
const PRIVATE: ReadonlySet<string | undefined> = new Set(["p", DIRECT]);
const date = maybe(z.date());
const userSchema = z.object({
  _id: z.string(),
  username: text,
  name: text,
  type: text,
  active: z.boolean().catch(true),
  roles: strings,
  emails: list(z.object({ address: text })),
});
const roomSchema = z.object({
  _id: z.string(),
  t: text,
  name: text,
  fname: text,
  topic: text,
  description: text,
  ts: date,
  archived: flag,
  uids: strings,
});
const subscriptionSchema = z.object({ rid: z.string(), u: z.object({ _id: z.string() }) });
const attachmentSchema = z.object({
  title: text,
  title_link: text,
  text,
  description: text,
  author_name: text,
  image_url: text,
  fields: list(z.object({ title: text, value: text })),
});
const messageSchema = z.object({
  _id: z.string(),
  rid: z.string(),
  msg: text,
  t: text,
  ts: z.date(),
  u: z.object({ _id: z.string(), username: text, name: text }),
  alias: text,
  tmid: text,
  tcount: number,
  editedAt: date,
  pinned: flag,
  pinnedAt: date,
  pinnedBy: maybe(z.object({ _id: text })),
  reactions: z.record(z.string(), z.object({ usernames: strings }).catch({ usernames: [] })).catch({}),
  attachments: list(attachmentSchema),
  _hidden: flag,
});
type Message = z.output<typeof messageSchema>;
type Attachment = Message["attachments"][number];

export const rocketChatHistory: Importer = async (folders, { name, media, folder }, report) => {
  const read = await openDump(folders);
  const users: Users = new Map();
  let ownerKey: string | null = null;
  for await (const user of read("users", userSchema)) {
    const { _id: key, username, name: shown, type, active, roles, emails } = user;
    const isMember = active && type === "user";
    addUser(users, {
      key,
      username,
      name: shown || username,
      email: emails[0]?.address ?? "",
      isMember,
    });
    if (isMember && roles.includes("admin")) ownerKey ??= key;
  }
  const rooms = new Map<string, z.output<typeof roomSchema>>();
  for await (const room of read("rocketchat_room", roomSchema)) {
    if (ROOMS.has(room.t)) rooms.set(room._id, room);
    else report.note("supportRooms");
  }
  const channels = [...rooms.values()].filter(({ t }) => t !== DIRECT);
  if (channels.length === 0) throw new InvalidExportError("it is not a dump of Rocket.Chat: it has no rooms");
  const members = new Map<string, string[]>();
  for await (const { rid, u } of read("rocketchat_subscription", subscriptionSchema))
    if (PRIVATE.has(rooms.get(rid)?.t)) members.set(rid, [...(members.get(rid) ?? []), u._id]);
  const membersOf = ({ _id, uids }: z.output<typeof roomSchema>) => [...uids, ...(members.get(_id) ?? [])];
  const messages = () => read("rocketchat_message", messageSchema);
  const threads = await findThreads(messages(), rooms, users);
  const byName = new Map([...users.values()].map(({ key, username }) => [username, key]));
  return {
    // Each server has a room with the id GENERAL.
    source: channels.map((room) => `${room.ts?.toISOString() ?? ""} ${room._id}`).toSorted()[0]!,
    name: name ?? "Rocket.Chat",
    ownerKey,
    users,
    channels: channels.map((room): HistoryChannel => ({
      key: room._id,
      name: room.fname || room.name,
      topic: room.topic || room.description,
      section: null,
      isArchived: room.archived,
      createdAt: room.ts,
      privateTo: room.t === "p" ? membersOf(room) : null,
      isDefault: room._id === "GENERAL",
    })),
    directs: [...rooms.values()].flatMap((room) =>
      room.t === DIRECT ? [{ key: room._id, members: membersOf(room) }] : [],
    ),
    threads,
    files: firstOf(await gridFiles(folders[0]!, "rocketchat_uploads", folder), await mediaFiles(media)),
    missingFiles: "missingFiles",
    async *messages() {
      for await (const message of messages()) {
        const shown = rooms.has(message.rid) ? messageOf(message, { users, byName, threads, report }) : null;
        if (shown !== null) yield shown;
      }
    },
  };
};

const refOf = ({ rid: channel, _id: key, ts: at }: Message): MessageRef => ({ channel, key, at });

async function findThreads(
  messages: AsyncIterable<Message>,
  rooms: ReadonlyMap<string, unknown>,
  users: Users,
): Promise<Map<string, HistoryThread>> {
  const threads = new ThreadFinder();
  for await (const message of messages) {
    const { _id: key, rid, tmid, tcount, ts } = message;
    if (!rooms.has(rid) || message._hidden) continue;
    if (tmid !== "") threads.addReply(tmid, ts);
    else if (tcount > 0) threads.addRoot(key, refOf(message), authorOf(message, users));
  }
  return threads.found();
}

const authorOf = ({ u: { _id: key, username, name } }: Message, users: Users): string =>
  addAuthor(users, key, name || username);

interface Context {
  users: Users;
  /** Keys of users by username. */
  byName: ReadonlyMap<string, string>;
  threads: ReadonlyMap<string, HistoryThread>;
  report: Report;
}

/** @returns null if it is left out */
function messageOf(message: Message, { users, byName, threads, report }: Context): HistoryMessage | null {
  const { _id: key, t: kind, tmid, alias, editedAt, pinned, pinnedAt, pinnedBy, reactions } = message;
  const isRoot = threads.has(key);
  if (message._hidden) return null;
  if (kind === "e2e") {
    report.note("encrypted");
    return null;
  }
  if (kind !== "" && !isRoot) {
    report.note("notices");
    return null;
  }
  if (tmid !== "" && !threads.has(tmid)) report.note("orphanReplies");
  const author = authorOf(message, users);
  return {
    ...refOf(message),
    thread: threads.has(tmid) ? tmid : null,
    author,
    as: alias || null,
    content: contentOf(message, byName),
    files: message.attachments.flatMap(fileOf),
    editedAt,
    pinned: pinned
      ? { at: pinnedAt ?? message.ts, by: users.has(pinnedBy?._id ?? "") ? pinnedBy!._id : author }
      : null,
    reactions: Object.entries(reactions).map(([emoji, { usernames }]) => ({
      emoji: emojiOf(emoji),
      users: usernames.flatMap((username) => byName.get(username) ?? []),
    })),
  };
}

/** Its markup is nearly Slack's. Links to quoted messages of the old server are left out: the quotes are attachments. */
function contentOf({ msg, attachments }: Message, byName: ReadonlyMap<string, string>): string {
  const markdown = mrkdwn(msg.replace(/\[ \]\(https?:\/\/[^)\s]*\)\s*/g, ""), { maxChars: MAX_TEXT_CHARS });
  const shown = withMentions(markdown, /(?<![\w@.-])@([\w.-]+)/g, (name) => byName.get(name));
  return paragraphs(shown, ...attachments.map(attachmentText));
}

/** The address of an upload has its id, which the database and the folder of uploads know it by. */
const UPLOAD = /^\/?file-upload\/([\w-]+)\/([^?#]*)/;

function fileOf({ title, title_link: url, image_url: image }: Attachment): HistoryFile[] {
  const [, id, last = ""] = UPLOAD.exec(url || image) ?? [];
  if (id === undefined) return [];
  const extension = /\.\w{1,10}$/.exec(title || last)?.[0] ?? "";
  const name = title || "File";
  return [{ name, paths: [id, `${id}${extension}`], instead: fileMark(name) }];
}

function attachmentText({
  title,
  title_link: url,
  text: body,
  description,
  author_name: author,
  image_url: image,
  fields,
}: Attachment): string {
  const address = url || image;
  if (UPLOAD.test(address)) return description;
  return cardText({
    author: author === "" ? "" : bold(author),
    title,
    url: address,
    texts: [body],
    fields: fields.map((field) => ({ name: field.title, value: field.value })),
  });
}
