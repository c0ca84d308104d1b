import { codeBlock, emojiByName, line, link, plain } from "@fanfare/markup";
import { mongo } from "mongoose";
import { z } from "zod";
import { openDump } from "./bson.ts";
import { folderFiles } from "./export-files.ts";
import {
  addUser,
  assertRoom,
  flag,
  type HistoryChannel,
  type HistoryFile,
  type HistoryMessage,
  type Importer,
  list,
  maybe,
  mention,
  text,
  type Users,
} from "./history.ts";
import { InvalidExportError } from "./inputs.ts";

// The database of Tailchat, as `mongodump` writes it: https://github.com/msgbyte/tailchat/tree/master/server/models

const MAX_TEXT_CHARS = 100_000;
const LEAF = /\[(at|url|img|card|code|markdown|emoji)(?:[= ]([^\]]{0,2000}))?\]([\s\S]{0,5000}?)\[\/\1\]/g;
const STYLE = /\\\[\/?([bius])\\?\]/g;
const MARKS: Readonly<Record<string, string>> = { b: "**", i: "_", s: "~~", u: "" };

const TEXT_PANEL = 0;
const SECTION_PANEL = 1;

const objectId = z.instanceof(mongo.ObjectId).transform(String);
/** Some ids are stored as text. */
const id = z.union([objectId, z.string()]);
const userSchema = z.object({
  _id: objectId,
  username: text,
  nickname: text,
  email: text,
  type: text,
  temporary: flag,
});
const groupSchema = z.object({
  _id: objectId,
  name: text,
  owner: id.catch(""),
  members: list(z.object({ userId: id })),
  panels: list(z.object({ id, name: text, parentId: text, type: z.number() })),
  createdAt: maybe(z.date()),
});
const messageSchema = z.object({
  _id: objectId,
  content: text,
  author: id,
  groupId: id,
  converseId: id,
  reactions: list(z.object({ name: z.string(), author: id })),
  hasRecall: flag,
  meta: maybe(z.object({ reply: maybe(z.object({ _id: id })) })),
});
type Group = z.output<typeof groupSchema>;
type Message = z.output<typeof messageSchema>;

export const tailchatHistory: Importer = async (folders, { name, team, media }, report) => {
  const read = await openDump(folders);
  const group = chosenGroup(await Array.fromAsync(read("groups", groupSchema)), team);
  const members = new Set(group.members.map(({ userId }) => userId));
  const users: Users = new Map();
  for await (const { _id: key, username, nickname, email, type, temporary } of read("users", userSchema)) {
    if (!members.has(key)) continue;
    assertRoom(users, "users");
    users.set(key, {
      key,
      username,
      name: nickname || username,
      email,
      isMember: !temporary && !type.endsWith("Bot"),
    });
  }
  const sections = new Map(
    group.panels.flatMap((one) => (one.type === SECTION_PANEL ? [[one.id, one.name]] : [])),
  );
  const createdAt = group.createdAt ?? timeOfId(group._id);
  const channels = group.panels.flatMap((one): HistoryChannel[] => {
    if (one.type !== TEXT_PANEL) return [];
    const section = sections.get(one.parentId) ?? null;
    return [
      { key: one.id, name: one.name, topic: "", section, createdAt, privateTo: null, isDefault: false },
    ];
  });
  report.note(
    "panels of plug-ins",
    "only text channels are imported",
    group.panels.length - channels.length - sections.size,
  );
  const keys = new Set(channels.map(({ key }) => key));
  return {
    source: group._id,
    name: name ?? group.name,
    createdAt,
    ownerKey: users.has(group.owner) ? group.owner : null,
    users,
    channels,
    threads: new Map(),
    files: await folderFiles(media === undefined ? [] : [media]),
    missingFiles: "they stay at the old server, and messages link to them",
    async *messages() {
      for await (const message of read("messages", messageSchema))
        if (message.groupId === group._id && keys.has(message.converseId)) yield messageOf(message, users);
    },
  };
};

const timeOfId = (key: string): Date => new mongo.ObjectId(key).getTimestamp();

function chosenGroup(groups: readonly Group[], wanted: string | undefined): Group {
  if (groups.length === 0) throw new InvalidExportError("it is not a dump of Tailchat: it has no groups");
  const shown = groups.map(({ _id, name }) => `${JSON.stringify(name)} (${_id})`).join(", ");
  const chosen = groups.filter(({ _id, name }) => wanted === undefined || wanted === name || wanted === _id);
  if (chosen.length !== 1)
    throw new InvalidExportError(`it has several groups. Choose one with --team: ${shown}`);
  return chosen[0]!;
}

function messageOf(message: Message, users: Users): HistoryMessage {
  const { _id: key, converseId: channel, author, hasRecall: isDeleted, meta } = message;
  const reply = meta?.reply?._id;
  const { shown, files } = isDeleted ? { shown: "", files: [] } : markdownOf(message.content, users);
  return {
    channel,
    key,
    // Times come from the ids, so that replies find their message.
    at: timeOfId(key),
    thread: null,
    author: authorOf(author, users),
    as: null,
    content: shown,
    files,
    editedAt: null,
    isDeleted,
    replyTo:
      reply !== undefined && mongo.ObjectId.isValid(reply)
        ? { channel, key: reply, at: timeOfId(reply) }
        : null,
    pinned: null,
    reactions: message.reactions.map(({ name, author: by }) => ({
      emoji: emojiByName(name.replaceAll(":", "")) ?? name,
      users: [authorOf(by, users)],
    })),
  };
}

const authorOf = (key: string, users: Users): string =>
  addUser(users, { key, username: "", name: "", isMember: false });

/** Tailchat writes BBCode around text without markup. */
function markdownOf(content: string, users: Users): { shown: string; files: HistoryFile[] } {
  const source = content.slice(0, MAX_TEXT_CHARS);
  const styled = (text: string): string => plain(text).replace(STYLE, (_, style: string) => MARKS[style]!);
  const files: HistoryFile[] = [];
  let shown = "";
  let from = 0;
  for (const { 0: whole, 1: tag, 2: attribute = "", 3: inner = "", index } of source.matchAll(LEAF)) {
    shown += styled(source.slice(from, index)) + leaf(tag!, attribute, inner);
    from = index + whole.length;
  }
  return { shown: shown + styled(source.slice(from)), files };

  function leaf(tag: string, attribute: string, inner: string): string {
    switch (tag) {
      case "at":
        return users.has(attribute) ? mention(attribute) : line(inner);
      case "url":
        return link(inner, attribute || inner);
      case "code":
        return `\n${codeBlock(inner)}\n`;
      case "markdown":
        return inner;
      case "emoji":
        return emojiByName(inner) ?? `:${inner}:`;
      default:
        files.push(fileOf(tag === "img", attribute, inner));
        return "";
    }
  }
}

/** The bucket of the old server has its uploads as `files/<user>/<hash>`. */
function fileOf(isImage: boolean, attribute: string, inner: string): HistoryFile {
  const url = isImage ? inner : (/url=(\S+)/.exec(attribute)?.[1] ?? "");
  const object = /\/static\/(files\/[\w./-]+)$/.exec(url)?.[1];
  const name = isImage ? `image${/\.\w{1,5}$/.exec(url)?.[0] ?? ""}` : inner;
  return {
    name,
    paths: object === undefined ? [] : [object, object.replace("files/", "")],
    instead: link(isImage ? "Image" : inner, url),
  };
}
