import { bold, line, lines, link, paragraphs, quote, withoutDiscordMarkup } from "@fanfare/markup";
import { z } from "zod";
import {
  addUser,
  cardText,
  fileMark,
  flag,
  type HistoryFile,
  type HistoryMessage,
  type HistoryThread,
  list,
  maybe,
  mention,
  number,
  text,
  timeOf,
  type Users,
} from "./history.ts";
import type { Report } from "./report.ts";

/** Discord's ids have the milliseconds since the start of 2015. */
const EPOCH_MS = 1_420_070_400_000n;
const ID = /^\d{1,20}$/;
/** Commands of apps have numbers; the others are notices of Discord. */
const SHOWN: ReadonlySet<string> = new Set(["Default", "Reply", "20", "23"]);
export const THREAD_CREATED = "ThreadCreated";

export const id = z.string().regex(ID);
const userSchema = z.object({ id, name: text, nickname: text, isBot: flag });
const fileSchema = z.object({ url: text, fileName: text });
const embedSchema = z.object({
  title: text,
  url: text,
  description: text,
  author: maybe(z.object({ name: text })),
  image: maybe(z.object({ url: text, canonicalUrl: text })),
  fields: list(z.object({ name: text, value: text })),
  footer: maybe(z.object({ text })),
});
const withContent = z.object({
  content: text,
  attachments: list(fileSchema),
  embeds: list(embedSchema),
  stickers: list(z.object({ name: text, sourceUrl: text })),
  mentions: list(userSchema),
});
export const messageSchema = withContent.extend({
  id,
  type: text,
  timestampEdited: text,
  isPinned: flag,
  author: userSchema,
  reactions: list(
    z.object({ emoji: z.object({ id: text, name: z.string() }), count: number, users: list(userSchema) }),
  ),
  reference: maybe(z.object({ messageId: text, channelId: text })),
  forwardedMessage: maybe(withContent),
});
export type Message = z.output<typeof messageSchema>;

export const timeOfId = (snowflake: string): Date =>
  timeOf(Number((BigInt(snowflake) >> 22n) + EPOCH_MS)) ?? new Date();

export type Author = z.output<typeof userSchema>;

/** @param isMember whether people who aren't bots are members of the server */
export const addAuthor = (
  users: Users,
  { id: key, name, nickname, isBot }: Author,
  isMember = true,
): string => addUser(users, { key, username: name, name: nickname || name, isMember: isMember && !isBot });

export interface Context {
  users: Users;
  threads: ReadonlyMap<string, HistoryThread>;
  /** Names of threads, by id. */
  names: ReadonlyMap<string, string>;
  report: Report;
}

/** @returns null if it is left out */
export function messageOf(
  message: Message,
  fileChannel: string,
  place: Pick<HistoryMessage, "channel" | "thread">,
  { users, threads, names, report }: Context,
): HistoryMessage | null {
  const { id: key, type, reference, timestampEdited, isPinned } = message;
  const aboutThread = type === THREAD_CREATED ? (reference?.channelId ?? "") : "";
  const isRoot = threads.get(aboutThread)?.root.key === key;
  if (!SHOWN.has(type) && !isRoot) {
    report.note("notices");
    return null;
  }
  const at = timeOfId(key);
  const author = addAuthor(users, message.author);
  const isReply =
    type === "Reply" &&
    reference !== null &&
    reference.channelId === fileChannel &&
    ID.test(reference.messageId);
  return {
    ...place,
    key,
    at,
    author,
    content: isRoot ? bold(names.get(aboutThread) ?? "") : messageText(message, users),
    editedAt: timestampEdited === "" ? null : timeOf(timestampEdited),
    replyTo: isReply
      ? { channel: place.channel, key: reference.messageId, at: timeOfId(reference.messageId) }
      : null,
    pinned: isPinned ? { at, by: author } : null,
    files: isRoot
      ? []
      : [message, message.forwardedMessage].flatMap((one) => (one === null ? [] : filesOf(one))),
    reactions: message.reactions.map(({ emoji, count, users: by }) => {
      report.note("unknownReactions", Math.max(0, count - by.length) || 0);
      return {
        emoji: emoji.id === "" ? emojiOf(emoji.name) : `:${emoji.name.toLowerCase()}:`,
        users: by.map((one) => addAuthor(users, one)),
      };
    }),
  };
}

const emojiOf = (name: string): string =>
  /^\p{RGI_Emoji}$/v.test(name) ? name : `${name.replace("\uFE0F", "")}\uFE0F`;

function messageText(message: Message, users: Users): string {
  const { forwardedMessage: forwarded } = message;
  return paragraphs(
    contentText(message, users),
    forwarded === null ? "" : quote(lines("_Forwarded:_", contentText(forwarded, users))),
  );
}

function contentText({ content, embeds, mentions }: z.output<typeof withContent>, users: Users): string {
  const shown = withMentions(withoutDiscordMarkup(content), mentions, users);
  return paragraphs(shown, ...embeds.map((one) => embedText(one, content)));
}

/** An export with `--media` has paths instead of addresses, in the manner of the system it was made on. */
function filesOf({ attachments, stickers }: z.output<typeof withContent>): HistoryFile[] {
  return [
    ...attachments.map(({ fileName, url }) => ({ name: fileName || "File", url })),
    ...stickers.map(({ name, sourceUrl: url }) => ({ name: stickerName(name || "Sticker", url), url })),
  ].map(({ name, url }) => {
    const isAddress = /^https?:/i.test(url);
    return {
      name,
      paths: isAddress || url === "" ? [] : [url, url.replaceAll("\\", "/")],
      instead: isAddress ? link(name, url) : fileMark(name),
    };
  });
}

const stickerName = (name: string, url: string): string => name + (/\.\w{1,5}$/.exec(url)?.[0] ?? "");

/** Previews of links are left out: the link is in the text. */
function embedText(
  { title, url, description, author, image, fields, footer }: z.output<typeof embedSchema>,
  content: string,
): string {
  if (url !== "" && content.includes(url)) return "";
  return cardText({
    author: line(author?.name ?? ""),
    title,
    url,
    texts: [withoutDiscordMarkup(description)],
    fields: fields.map(({ name, value }) => ({ name, value: withoutDiscordMarkup(value) })),
    footer: lines(
      image === null ? "" : link("Image", image.canonicalUrl || image.url),
      line(footer?.text ?? ""),
    ),
  });
}

/** Mentions are `<@…>`, or names unless the export was made with `--markdown false`. */
function withMentions(content: string, mentions: Message["mentions"], users: Users): string {
  let shown = content.replace(/<@!?(\d{1,20})>/g, (found, key: string) => {
    const user = mentions.find((one) => one.id === key);
    if (user !== undefined) addAuthor(users, user);
    return users.has(key) ? mention(key) : found;
  });
  const names = mentions.flatMap((user) =>
    [user.nickname, user.name].map((name) => ({ name: `@${name}`, user })),
  );
  // The longest first: one name can be the start of another.
  for (const { name, user } of names.toSorted((a, b) => b.name.length - a.name.length))
    if (name !== "@" && shown.includes(name))
      shown = shown.replaceAll(name, () => mention(addAuthor(users, user)));
  return shown;
}
