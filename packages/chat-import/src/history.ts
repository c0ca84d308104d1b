import { createHash } from "node:crypto";
import { type ImportNote, LIMITS } from "@fanfare/contract";
import { bold, emojiByName, line, lines, link, quote } from "@fanfare/markup";
import { z } from "zod";
import type { ExportFiles } from "./export-files.ts";
import { InvalidExportError } from "./inputs.ts";
import type { Report } from "./report.ts";

// The history of a group of another chat server, as all importers give it.

export interface HistoryUser {
  /** What the export calls the user. */
  key: string;
  username: string;
  name: string;
  email?: string;
  /** false: only the author of messages, such as a bot or a deactivated account. */
  isMember: boolean;
}

/** By key. */
export type Users = Map<string, HistoryUser>;

export interface HistoryChannel {
  key: string;
  name: string;
  topic: string;
  /** The name of the section that it is listed in; null: none. */
  section: string | null;
  /** Listed last, in a section of its own. */
  isArchived?: boolean;
  /** null: unknown. */
  createdAt: Date | null;
  /** Keys of the users who can see it; null: all members. */
  privateTo: readonly string[] | null;
  isDefault: boolean;
  isVoice?: boolean;
}

/** The direct messages of two or more users, or the notes of one. */
export interface HistoryDirect {
  key: string;
  /** Keys of users. */
  members: readonly string[];
}

/** Where a message is. The time tells apart messages without a key of their own. */
export interface MessageRef {
  /** The key of a channel or of direct messages. */
  channel: string;
  key: string;
  at: Date;
}

export interface HistoryThread {
  root: MessageRef;
  /** The user who started it. */
  author: string;
  startedAt: Date;
  lastAt: Date;
}

export interface HistoryMessage extends MessageRef {
  /** The key of the thread it is in. Direct messages have no threads here: it becomes a reply. */
  thread?: string | null;
  author: string;
  /** The name to show instead of the author's. */
  as?: string | null;
  content: string;
  editedAt?: Date | null;
  isDeleted?: boolean;
  replyTo?: MessageRef | null;
  pinned?: { at: Date; by: string } | null;
  reactions: readonly { emoji: string; users: readonly string[] }[];
  files: readonly HistoryFile[];
}

export interface HistoryFile {
  name: string;
  /** Where its content can be in the files of the export. */
  paths: readonly string[];
  /** Shown in the message if it isn't kept: a link, or its name. */
  instead: string;
}

export interface History {
  /** Identifies what the export is of, such as a Slack workspace: the same in later exports. */
  source: string;
  name: string;
  /** Absent: like the first channel. */
  createdAt?: Date;
  ownerKey: string | null;
  /** Reading the messages can add to it. */
  users: Users;
  channels: readonly HistoryChannel[];
  /** Those of which reading the messages can change the members. */
  directs: readonly HistoryDirect[];
  threads: Map<string, HistoryThread>;
  messages(): AsyncGenerator<HistoryMessage>;
  files: ExportFiles;
  /** What becomes of files whose content the export doesn't have. */
  missingFiles: Extract<ImportNote, "linkedFiles" | "missingFiles">;
}

/** Reads the export of another chat server. */
export type Importer = (
  files: readonly string[],
  options: ImporterOptions,
  report: Report,
) => Promise<History>;

export interface ImporterOptions {
  /** Of the new group; undefined: as the export says. */
  name: string | undefined;
  /** Of several teams in an export, the one to import. */
  team: string | undefined;
  /** A folder with files of messages, if the export doesn't have them. */
  media: string | undefined;
  /** For temporary files. */
  folder: string;
}

/** Users and threads of one import: their names and times are held in memory. */
const MAX_ENTRIES = 1_000_000;
const STARTED = new Date();
const MAX_SECONDS = 0xffff_ffff;

/**
 * An id for something in an export: the same each time, and in the order of time, like all ids. Places and messages have their own
 * times, users that of the import.
 */
export function idOf(
  kind: "group" | "channel" | "section" | "thread" | "direct" | "message",
  key: string,
  at: Date,
): string {
  return idAt(at, `${kind}\n${key}`);
}

export const userId = (key: string): string => idAt(STARTED, `user\n${key}`);

function idAt(at: Date, text: string): string {
  const seconds = Math.min(Math.max(0, Math.floor(at.getTime() / 1000)), MAX_SECONDS);
  return seconds.toString(16).padStart(8, "0") + createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Addresses of all users who have one, by their ids in the file. */
export const emailsOf = (users: Users): Map<string, string> =>
  new Map(
    [...users.values()].flatMap(({ key, email = "" }) =>
      email.trim() === "" ? [] : [[userId(key), email.trim()] as const],
    ),
  );

export const mention = (key: string): string => `<@${userId(key)}>`;

/** @throws {InvalidExportError} when there are more than a million */
export function assertRoom(map: ReadonlyMap<string, unknown>, what: string): void {
  if (map.size >= MAX_ENTRIES) throw new InvalidExportError(`it has more than ${MAX_ENTRIES} ${what}`);
}

/**
 * Adds an author that the list of users doesn't have.
 * @returns the key
 */
export function addUser(users: Users, user: HistoryUser): string {
  if (!users.has(user.key)) {
    assertRoom(users, "users");
    users.set(user.key, user);
  }
  return user.key;
}

/**
 * Adds an author of whom only the messages have a name: a bot, someone who has left, or a guest of another server.
 * @returns the key
 */
export const addAuthor = (users: Users, key: string, name: string): string =>
  addUser(users, { key, username: "", name, isMember: false });

/** Not the current time, since ids have to be the same each time. */
export const UNKNOWN_TIME = new Date(0);

/** The time of the first channel, or an unknown one. */
export const startOf = (channels: readonly HistoryChannel[]): Date => {
  const known = channels.flatMap(({ createdAt }) => createdAt?.getTime() ?? []);
  return known.length === 0
    ? UNKNOWN_TIME
    : new Date(known.reduce((least, time) => Math.min(least, time), Date.now()));
};

/** Finds the threads of an export: messages that others reply to. */
export class ThreadFinder {
  readonly #roots = new Map<string, HistoryThread>();
  readonly #lastAt = new Map<string, Date>();

  /** @param key of the thread */
  addRoot(key: string, root: MessageRef, author: string): void {
    assertRoom(this.#roots, "threads");
    this.#roots.set(key, { root, author, startedAt: root.at, lastAt: root.at });
  }

  addReply(key: string, at: Date): void {
    assertRoom(this.#lastAt, "threads");
    if (at > (this.#lastAt.get(key) ?? UNKNOWN_TIME)) this.#lastAt.set(key, at);
  }

  /** Those with replies and a first message: one that was deleted can be missing. */
  found(): Map<string, HistoryThread> {
    const found = new Map<string, HistoryThread>();
    for (const [key, thread] of this.#roots) {
      const lastAt = this.#lastAt.get(key);
      if (lastAt !== undefined)
        found.set(key, { ...thread, lastAt: lastAt > thread.lastAt ? lastAt : thread.lastAt });
    }
    return found;
  }
}

/** An emoji, or its name, which a custom emoji can have here. */
export function emojiOf(name: string): string {
  const bare = name.replace(/^:|:$/g, "");
  const isName = /^[\x21-\x7e]+$/.test(bare);
  return emojiByName(bare) ?? (isName ? `:${bare.toLowerCase()}:` : name);
}

/** Of a file that is neither an attachment nor a link. */
export const fileMark = (name: string): string => `📎 ${line(name)}`;

/** What servers show in a box below a message, as markdown. The title is the only part that isn't markdown yet. */
export function cardText(card: {
  author?: string;
  title: string;
  url: string;
  texts: readonly string[];
  fields: readonly { name: string; value: string }[];
  footer?: string;
}): string {
  const shown = lines(
    card.author ?? "",
    card.title === "" ? "" : link(card.title, card.url),
    ...card.texts,
    ...card.fields.map(({ name, value }) => lines(bold(name), value)),
    card.footer ?? "",
  );
  return shown === "" ? "" : quote(shown);
}

/**
 * Punctuation at the end of a name can belong to the sentence.
 * @param pattern of a mention, with the name as its group
 */
export const withMentions = (
  markdown: string,
  pattern: RegExp,
  keyOf: (name: string) => string | undefined,
): string =>
  markdown.replace(pattern, (found, name: string) => {
    const known = [name, name.replace(/[._-]+$/, "")].find((one) => keyOf(one) !== undefined);
    return known === undefined ? found : mention(keyOf(known)!) + name.slice(known.length);
  });

/** A time that a message can have, or null. */
export function timeOf(value: string | number): Date | null {
  const time = new Date(value);
  const milliseconds = time.getTime();
  return milliseconds >= 0 && milliseconds <= MAX_SECONDS * 1000 ? time : null;
}

// Exports of other servers change over time, so a field of another type counts as empty.

export { flag, maybe } from "@fanfare/markup";
export const text = z.string().catch("");
export const number = z.union([z.number(), z.string().transform(Number)]).catch(Number.NaN);
export const strings = z
  .array(z.unknown())
  .catch([])
  .transform((all) => all.filter((one) => typeof one === "string"));
/** The items that the schema accepts. */
export const list = <S extends z.ZodType>(schema: S) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.flatMap((one) => {
        const parsed = schema.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    );

/** Invisible characters, line breaks and characters that change the direction of text. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/** The first of the texts that has a visible character, as a name. */
export function nameOf(maxChars: number, fallback: string, ...texts: readonly string[]): string {
  for (const name of texts) {
    const clean = name
      .slice(0, 4 * maxChars)
      .replaceAll(NOT_IN_NAMES, " ")
      .trim();
    const short = clean
      .slice(0, maxChars)
      .replace(/[\uD800-\uDBFF]$/, "")
      .trim();
    if (/[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(short)) return short;
  }
  return fallback;
}

const USERNAME = new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`);

export const usernameOf = (name: string): string | null => (USERNAME.test(name) ? name : null);
