import { codeBlock, emojiByName, line, link, plain } from "@fanfare/markup";
import { mongo } from "mongoose";
import { z } from "zod";
import { openDump } from "./bson.ts";
import { mediaFiles } from "./export-files.ts";
import {
  addAuthor,
  addUser,
  emojiOf,
  flag,
  type HistoryChannel,
  type HistoryDirect,
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
/** Other converses than those of groups: direct messages of two or more users. */
const converseSchema = z.object({ _id: objectId, type: z.enum(["DM", "Multi"]), members: list(id) });
const messageSchema = z.object({
  _id: objectId,
  content: text,
  author: id,
  groupId: maybe(id),
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
  const directs: HistoryDirect[] = [];
  for await (const { _id: key, members: of } of read("converses", converseSchema))
    if (of.some((one) => members.has(one))) directs.push({ key, members: of });
  const known = new Set([...members, ...directs.flatMap((one) => one.members)]);
  const users: Users = new Map();
  for await (const { _id: key, username, nickname, email, type, temporary } of read("users", userSchema)) {
    if (!known.has(key)) continue;
    addUser(users, {
      key,
      username,
      name: nickname || username,
      email,
      isMember: members.has(key) && !temporary && !type.endsWith("Bot"),
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
  report.note("pluginPanels", group.panels.length - channels.length - sections.size);
  const keys = new Set(channels.map(({ key }) => key));
  const directKeys = new Set(directs.map(({ key }) => key));
  return {
    source: group._id,
    name: name ?? group.name,
    createdAt,
    ownerKey: users.has(group.owner) ? group.owner : null,
    users,
    channels,
    directs,
    threads: new Map(),
    files: await mediaFiles(media),
    missingFiles: "linkedFiles",
    async *messages() {
      for await (const message of read("messages", messageSchema))
        if ((message.groupId === group._id ? keys : directKeys).has(message.converseId))
          yield messageOf(message, users);
    },
  };
};

const timeOfId = (key: string): Date => new mongo.ObjectId(key).getTimestamp();

function chosenGroup(groups: readonly Group[], wanted: string | undefined): Group {
  if (groups.length === 0) throw new InvalidExportError("it is not a dump of Tailchat: it has no groups");
  const names = groups.map(({ _id, name }) => `${JSON.stringify(name)} (${_id})`).join(", ");
  const chosen = groups.filter(({ _id, name }) => wanted === undefined || wanted === name || wanted === _id);
  if (chosen.length !== 1)
    throw new InvalidExportError(`it has several groups. Choose one with --team: ${names}`, {
      code: "chooseTeam",
      details: { names },
    });
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
    author: addAuthor(users, author, ""),
    content: shown,
    files,
    isDeleted,
    replyTo:
      reply !== undefined && mongo.ObjectId.isValid(reply)
        ? { channel, key: reply, at: timeOfId(reply) }
        : null,
    reactions: message.reactions.map(({ name, author: by }) => ({
      emoji: emojiOf(name),
      users: [addAuthor(users, by, "")],
    })),
  };
}

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
