import { basename } from "node:path";
import { LIMITS } from "@fanfare/contract";
import type { ZipEntry } from "@fanfare/zip";
import { z } from "zod";
import {
  archivedLast,
  assertRoom,
  flag,
  type HistoryChannel,
  type HistoryThread,
  type Importer,
  list,
  maybe,
  number,
  startOf,
  strings,
  text,
  type Users,
  withTimes,
} from "./history.ts";
import { firstOf, folderFiles, zipFiles } from "./export-files.ts";
import { InvalidExportError, openZip, zipItems } from "./inputs.ts";
import {
  authorOf,
  createdAt,
  createTexts,
  messageOf,
  messageSchema,
  profile,
  secondsOf,
  SLACKBOT,
  type Texts,
} from "./slack-messages.ts";

// Exports of Slack: https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports

const DAY = /^\d{4}-\d{2}-\d{2}\.json$/;
const userSchema = z.object({
  id: z.string(),
  name: text,
  real_name: text,
  deleted: flag,
  is_bot: flag,
  is_primary_owner: flag,
  profile,
});
const channelSchema = z.object({
  id: z.string(),
  name: z.string(),
  created: number,
  is_archived: flag,
  is_general: flag,
  is_private: flag,
  members: strings,
  topic: maybe(z.object({ value: text })),
  purpose: maybe(z.object({ value: text })),
  pins: list(z.object({ id: z.string(), created: number, user: text })),
});
type Channel = z.output<typeof channelSchema> & { isPrivate: boolean };

export const slackHistory: Importer = async ([file, ...others], { name, media }, report) => {
  if (file === undefined || others.length > 0) throw new InvalidExportError("a Slack export is one ZIP file");
  const entries = await openZip(file);
  const root = rootOf(entries);
  const read = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>[]> => {
    const entry = entries.get(`${root}${path}`);
    const all: z.output<S>[] = [];
    if (entry === undefined) return all;
    for await (const item of zipItems(entry)) {
      const parsed = schema.safeParse(item);
      if (parsed.success) all.push(parsed.data);
      else report.note("entries without an ID", "users and channels need one");
    }
    return all;
  };
  const users: Users = new Map();
  let ownerKey: string | null = null;
  for (const user of await read("users.json", userSchema)) {
    assertRoom(users, "users");
    const { id: key, deleted, is_bot: isBot, is_primary_owner: isOwner } = user;
    const shown = user.profile?.display_name || user.profile?.real_name || user.real_name;
    users.set(key, {
      key,
      username: user.name,
      name: shown,
      email: user.profile?.email ?? "",
      isMember: !deleted && !isBot && key !== SLACKBOT,
    });
    if (isOwner) ownerKey = key;
  }
  const channels: Channel[] = [
    ...(await read("channels.json", channelSchema)).map((one) => ({ ...one, isPrivate: one.is_private })),
    ...(await read("groups.json", channelSchema)).map((one) => ({ ...one, isPrivate: true })),
  ];
  for (const direct of ["dms.json", "mpims.json"])
    report.note(
      "direct conversations",
      "a group has no direct messages",
      (await read(direct, z.object({ id: text }))).length,
    );
  const names = new Map(channels.map((one) => [one.id, one.name]));
  const texts = createTexts(users, names);
  const days = daysOf(entries, root, channels);
  const threads = await findThreads(days, users);
  const shown = withTimes(channels.map((one) => channelOf(one, texts)));
  const oldest =
    channels.find((one) => one.is_general) ?? channels.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0];
  return {
    source: oldest?.id ?? "",
    name: name ?? basename(file, ".zip").replace(/ Slack export.*$/, ""),
    createdAt: startOf(shown),
    ownerKey,
    users,
    channels: archivedLast(shown),
    threads,
    files: firstOf(zipFiles(entries), await folderFiles(media === undefined ? [] : [media])),
    missingFiles: "they stay at Slack, and messages link to them",
    async *messages() {
      for (const { channel, entry } of days)
        for await (const item of zipItems(entry)) {
          const parsed = messageSchema.safeParse(item);
          const message = parsed.success
            ? messageOf(parsed.data, channel, { users, threads, texts, report, root })
            : null;
          if (!parsed.success) report.note("messages without a time", "they cannot be sorted");
          if (message !== null) yield message;
        }
    },
  };
};

/** Archives that were packed again have a folder around everything. */
function rootOf(entries: ReadonlyMap<string, ZipEntry>): string {
  const found = [...entries.keys()].filter(
    (path) => /(?:^|\/)(?:channels|groups)\.json$/.test(path) && !path.startsWith("__MACOSX/"),
  );
  const [first] = found.toSorted((a, b) => a.length - b.length);
  if (first === undefined) throw new InvalidExportError("it is not a Slack export: it has no channels.json");
  return first.replace(/[^/]+$/, "");
}

interface Day {
  channel: Channel;
  entry: ZipEntry;
}

/** In the order of channels and days. */
function daysOf(entries: ReadonlyMap<string, ZipEntry>, root: string, channels: readonly Channel[]): Day[] {
  const byFolder = new Map(
    channels.flatMap(
      (channel) =>
        [
          [channel.id, channel],
          [channel.name, channel],
        ] as const,
    ),
  );
  return [...entries.values()]
    .flatMap((entry): Day[] => {
      if (!entry.path.startsWith(root)) return [];
      const [folder = "", day = "", ...rest] = entry.path.slice(root.length).split("/");
      const channel = byFolder.get(folder);
      return channel !== undefined && rest.length === 0 && DAY.test(day) ? [{ channel, entry }] : [];
    })
    .toSorted((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
}

function channelOf(channel: Channel, texts: Texts): HistoryChannel {
  const {
    id: key,
    name,
    is_archived: isArchived,
    is_general: isDefault,
    isPrivate,
    members,
    topic,
    purpose,
  } = channel;
  return {
    key,
    name,
    topic: texts.markdown(topic?.value || purpose?.value || "").slice(0, LIMITS.topicMaxChars),
    section: isArchived ? "Archived" : null,
    createdAt: createdAt(channel.created),
    privateTo: isPrivate ? members : null,
    isDefault,
  };
}

/** Threads with a first message and a reply: a first message that was deleted can be missing. */
async function findThreads(days: readonly Day[], users: Users): Promise<Map<string, HistoryThread>> {
  const threads = new Map<string, HistoryThread & { hasRoot: boolean; hasReply: boolean }>();
  for (const { channel, entry } of days)
    for await (const item of zipItems(entry)) {
      const parsed = messageSchema.safeParse(item);
      if (!parsed.success || parsed.data.thread_ts === "") continue;
      const { ts, thread_ts: rootTs } = parsed.data;
      const [at, startedAt] = [secondsOf(ts), secondsOf(rootTs)];
      if (at === null || startedAt === null) continue;
      const key = `${channel.id} ${rootTs}`;
      assertRoom(threads, "threads");
      const root = { channel: channel.id, key: rootTs, at: startedAt };
      const thread = threads.get(key) ?? {
        root,
        author: "",
        startedAt,
        lastAt: startedAt,
        hasRoot: false,
        hasReply: false,
      };
      threads.set(key, thread);
      if (ts === rootTs) Object.assign(thread, { hasRoot: true, author: authorOf(parsed.data, users) });
      else thread.hasReply = true;
      if (at > thread.lastAt) thread.lastAt = at;
    }
  for (const [key, { hasRoot, hasReply }] of threads) if (!hasRoot || !hasReply) threads.delete(key);
  return threads;
}
