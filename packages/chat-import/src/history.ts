import { createHash } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
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
  /** The name of the section that it is listed in. */
  section: string | null;
  createdAt: Date;
  /** Keys of the users who can see it; null: all members. */
  privateTo: readonly string[] | null;
  isDefault: boolean;
  isVoice?: boolean;
}

/** Where a message is. The time tells apart messages without a key of their own. */
export interface MessageRef {
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
  /** The key of the thread it is in; null: in its channel. */
  thread: string | null;
  author: string;
  /** The name to show instead of the author's. */
  as: string | null;
  content: string;
  editedAt: Date | null;
  isDeleted: boolean;
  replyTo: MessageRef | null;
  pinned: { at: Date; by: string } | null;
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
  createdAt: Date;
  ownerKey: string | null;
  /** Reading the messages can add to it. */
  users: Users;
  channels: readonly HistoryChannel[];
  threads: Map<string, HistoryThread>;
  messages(): AsyncGenerator<HistoryMessage>;
  files: ExportFiles;
  /** Why the export can lack the content of files, and what becomes of them then. */
  missingFiles: string;
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
  kind: "group" | "channel" | "section" | "thread" | "message",
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

/** Of a channel, if the export has no time. Not the current time, since ids have to be the same each time. */
export const UNKNOWN_TIME = new Date(0);

/** The first known time, or an unknown one. */
export const startOf = (channels: readonly HistoryChannel[]): Date => {
  const known = channels.map(({ createdAt }) => createdAt.getTime()).filter((time) => time > 0);
  return known.length === 0
    ? UNKNOWN_TIME
    : new Date(known.reduce((least, time) => Math.min(least, time), Date.now()));
};

/** Channels of an unknown time get the first known one. */
export function withTimes(channels: readonly HistoryChannel[]): HistoryChannel[] {
  const start = startOf(channels);
  return channels.map((one) => (one.createdAt.getTime() > 0 ? one : { ...one, createdAt: start }));
}

/** For servers without sections of their own. */
export const archivedLast = (channels: readonly HistoryChannel[]): HistoryChannel[] =>
  channels.toSorted((a, b) => Number(a.section !== null) - Number(b.section !== null));

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
