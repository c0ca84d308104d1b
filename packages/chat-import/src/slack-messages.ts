import { line, lines, link, mrkdwn, paragraphs, plainText } from "@fanfare/markup";
import { z } from "zod";
import {
  addAuthor,
  cardText,
  emojiOf,
  flag,
  type HistoryFile,
  type HistoryMessage,
  type HistoryThread,
  list,
  maybe,
  mention,
  number,
  strings,
  text,
  timeOf,
  type Users,
} from "./history.ts";
import type { Report } from "./report.ts";

/** Slack's own limit is 40,000; markup can take more. */
const MAX_TEXT_CHARS = 100_000;
export const SLACKBOT = "USLACKBOT";
const JOINED: ReadonlySet<string> = new Set(["channel_join", "channel_leave", "group_join", "group_leave"]);
/** The others are notices about the channel. */
const SHOWN: ReadonlySet<string> = new Set([
  "",
  "bot_message",
  "me_message",
  "thread_broadcast",
  "file_share",
  "file_comment",
  "slackbot_response",
  "tombstone",
]);

export const profile = maybe(z.object({ display_name: text, real_name: text, name: text, email: text }));
const attachmentSchema = z.object({
  fallback: text,
  pretext: text,
  author_name: text,
  title: text,
  title_link: text,
  text,
  from_url: text,
  is_share: flag,
  is_msg_unfurl: flag,
  image_url: text,
  fields: list(z.object({ title: text, value: text })),
});
export const messageSchema = z.object({
  ts: z.string(),
  subtype: text,
  thread_ts: text,
  user: text,
  username: text,
  bot_id: text,
  bot_profile: maybe(z.object({ name: text })),
  user_profile: profile,
  comment: maybe(z.object({ user: text })),
  text,
  edited: maybe(z.object({ ts: text })),
  reactions: list(z.object({ name: z.string(), users: strings, count: number })),
  files: list(
    z.object({ id: text, name: text, title: text, mode: text, url_private: text, permalink: text }),
  ),
  attachments: list(attachmentSchema),
  blocks: list(z.object({ text: maybe(z.object({ text })) })),
});
type Message = z.output<typeof messageSchema>;

/** null: unknown. */
export const dateOf = (seconds: number): Date | null => (seconds > 0 ? timeOf(seconds * 1000) : null);
export const secondsOf = (ts: string): Date | null =>
  /^\d+(?:\.\d+)?$/.test(ts) ? timeOf(Number(ts) * 1000) : null;

interface Channel {
  id: string;
  name: string;
  pins: readonly { id: string; created: number; user: string }[];
}

/** Adds the authors that aren't in the list of users: bots, and people of other workspaces. */
export function authorOf(
  { user, bot_id: bot, username, bot_profile: botProfile, user_profile: shown, comment }: Message,
  users: Users,
): string {
  const key = user || comment?.user || bot || `bot ${username}`;
  const name =
    shown?.display_name ||
    shown?.real_name ||
    botProfile?.name ||
    username ||
    (key === SLACKBOT ? "Slackbot" : "");
  return addAuthor(users, key, name);
}

interface Context {
  users: Users;
  threads: ReadonlyMap<string, HistoryThread>;
  texts: Texts;
  report: Report;
  /** The folder of the export in its archive. */
  root: string;
}

/** @returns null if it is left out */
export function messageOf(
  message: Message,
  channel: Channel,
  { users, threads, texts, report, root }: Context,
): HistoryMessage | null {
  const { ts, subtype, thread_ts: rootTs, edited, username } = message;
  const at = secondsOf(ts);
  if (at === null) {
    report.note("untimed");
    return null;
  }
  const threadKey = `${channel.id} ${rootTs}`;
  const isRoot = rootTs === ts && threads.has(threadKey);
  if (!SHOWN.has(subtype) && !isRoot) {
    if (JOINED.has(subtype)) report.note("joins");
    else report.note("notices");
    return null;
  }
  const isReply = rootTs !== "" && rootTs !== ts;
  if (isReply && !threads.has(threadKey)) report.note("orphanReplies");
  if (subtype === "thread_broadcast") report.note("broadcasts");
  const author = authorOf(message, users);
  const pin = channel.pins.find(({ id }) => id === ts);
  return {
    channel: channel.id,
    key: ts,
    at,
    thread: isReply && threads.has(threadKey) ? threadKey : null,
    author,
    as: subtype === "bot_message" && username !== users.get(author)?.name ? username || null : null,
    content: contentOf(message, texts),
    editedAt: edited === null ? null : secondsOf(edited.ts),
    isDeleted: subtype === "tombstone",
    pinned:
      pin === undefined
        ? null
        : { at: dateOf(pin.created) ?? at, by: users.has(pin.user) ? pin.user : author },
    files: message.files.flatMap((file) => fileOf(file, channel, { texts, report, root })),
    reactions: message.reactions.map(({ name, users: by, count }) => {
      report.note("unknownReactions", Math.max(0, count - by.length) || 0);
      return { emoji: emojiOf(name), users: by };
    }),
  };
}

function contentOf({ subtype, text: source, blocks, attachments }: Message, texts: Texts): string {
  const shown =
    texts.markdown(source) || lines(...blocks.map(({ text: block }) => texts.markdown(block?.text ?? "")));
  return paragraphs(
    subtype === "me_message" && shown !== "" ? `_${shown}_` : shown,
    ...attachments.map((one) => attachmentText(one, texts)),
  );
}

/** Slack's own archives don't have files. Those of slack-advanced-exporter and slackdump have them in one of two places. */
function fileOf(
  file: Message["files"][number],
  channel: Channel,
  { texts, report, root }: Pick<Context, "texts" | "report" | "root">,
): HistoryFile[] {
  const { id, name, title, mode } = file;
  if (mode === "tombstone" || mode === "hidden_by_limit") {
    report.note("deletedFiles");
    return [];
  }
  const places = [channel.name, channel.id].map((folder) => `${folder}/attachments/${id}-${name}`);
  const paths = [`__uploads/${id}/${name}`, ...places].flatMap((path) => [`${root}${path}`, path]);
  return [{ name: name || title, paths: id === "" ? [] : paths, instead: texts.file(file) }];
}

/** Previews of links are left out: the link is in the text. */
function attachmentText(one: z.output<typeof attachmentSchema>, texts: Texts): string {
  if (one.from_url !== "" && !one.is_share && !one.is_msg_unfurl) return "";
  const card = cardText({
    author: line(plainText(one.author_name)),
    title: plainText(one.title),
    url: one.title_link,
    texts: [texts.markdown(one.text)],
    fields: one.fields.map(({ title, value }) => ({ name: plainText(title), value: texts.markdown(value) })),
    footer: one.image_url === "" ? "" : link("Image", one.image_url),
  });
  return lines(texts.markdown(one.pretext), card || texts.markdown(one.fallback));
}

export type Texts = ReturnType<typeof createTexts>;

/** Turns Slack's texts into markdown, with the names of users and channels. */
export function createTexts(users: Users, channels: ReadonlyMap<string, string>) {
  const resolve = (target: string, name: string): string | undefined => {
    const key = target.slice(1);
    if (target.startsWith("@") && users.has(key)) return mention(key);
    const channel = target.startsWith("#") ? channels.get(key) : undefined;
    return channel === undefined || name !== "" ? undefined : line(`#${channel}`);
  };
  return {
    markdown: (source: string): string => mrkdwn(source, { maxChars: MAX_TEXT_CHARS, resolve }),

    /** Slack adds a token to the addresses, with which everyone could read all files of the export. */
    file: ({ name, title, url_private: url, permalink }: Message["files"][number]): string => {
      const address = URL.parse(url || permalink);
      for (const parameter of ["t", "token"]) address?.searchParams.delete(parameter);
      return link(title || name || "File", address?.href ?? "");
    },
  };
}
