import { basename, resolve } from "node:path";
import { z } from "zod";
import { archiveFiles, firstOf, mediaFiles } from "./export-files.ts";
import {
  addUser,
  flag,
  type HistoryChannel,
  type HistoryThread,
  type Importer,
  list,
  maybe,
  number,
  strings,
  text,
  ThreadFinder,
  type Users,
} from "./history.ts";
import { type ArchiveEntry, archiveItems, InvalidExportError, onlyOne, openArchive } from "./inputs.ts";
import {
  authorOf,
  createTexts,
  dateOf,
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
  name: text,
  created: number,
  is_archived: flag,
  is_general: flag,
  is_private: flag,
  members: strings,
  topic: maybe(z.object({ value: text })),
  purpose: maybe(z.object({ value: text })),
  pins: list(z.object({ id: z.string(), created: number, user: text })),
});
type Channel = z.output<typeof channelSchema>;

export const slackHistory: Importer = async (files, { name, media }, report) => {
  const file = onlyOne(files, "a Slack export is one ZIP file, or the folder that it was unpacked to");
  const entries = await openArchive(file);
  const root = rootOf(entries);
  const read = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>[]> => {
    const entry = entries.get(`${root}${path}`);
    const all: z.output<S>[] = [];
    if (entry === undefined) return all;
    for await (const item of archiveItems(entry)) {
      const parsed = schema.safeParse(item);
      if (parsed.success) all.push(parsed.data);
      else report.note("unidentified");
    }
    return all;
  };
  const users: Users = new Map();
  let ownerKey: string | null = null;
  for (const user of await read("users.json", userSchema)) {
    const { id: key, deleted, is_bot: isBot, is_primary_owner: isOwner } = user;
    const shown = user.profile?.display_name || user.profile?.real_name || user.real_name;
    addUser(users, {
      key,
      username: user.name,
      name: shown,
      email: user.profile?.email ?? "",
      isMember: !deleted && !isBot && key !== SLACKBOT,
    });
    if (isOwner) ownerKey = key;
  }
  const open = await read("channels.json", channelSchema);
  const closed = (await read("groups.json", channelSchema)).map((one) => ({ ...one, is_private: true }));
  const channels = [...open, ...closed];
  const directs = [...(await read("dms.json", channelSchema)), ...(await read("mpims.json", channelSchema))];
  const texts = createTexts(users, new Map(channels.map((one) => [one.id, one.name])));
  const days = daysOf(entries, root, [...channels, ...directs]);
  const threads = await findThreads(days, users);
  return {
    // Workspaces can share any other channel.
    source:
      channels.find((one) => one.is_general)?.id ??
      channels
        .map(({ id }) => id)
        .toSorted()
        .join(" "),
    name: name ?? basename(resolve(file), ".zip").replace(/ Slack export.*$/, ""),
    ownerKey,
    users,
    channels: channels.map((one) => channelOf(one, texts)),
    directs: directs.map(({ id: key, members }) => ({ key, members })),
    threads,
    files: firstOf(archiveFiles(entries), await mediaFiles(media)),
    missingFiles: "linkedFiles",
    async *messages() {
      for (const { channel, entry } of days)
        for await (const item of archiveItems(entry)) {
          const parsed = messageSchema.safeParse(item);
          const message = parsed.success
            ? messageOf(parsed.data, channel, { users, threads, texts, report, root })
            : null;
          if (!parsed.success) report.note("untimed");
          if (message !== null) yield message;
        }
    },
  };
};

/** Archives that were packed again have a folder around everything. */
function rootOf(entries: ReadonlyMap<string, ArchiveEntry>): string {
  const found = [...entries.keys()].filter(
    (path) => /(?:^|\/)(?:channels|groups)\.json$/.test(path) && !path.startsWith("__MACOSX/"),
  );
  const [first] = found.toSorted((a, b) => a.length - b.length);
  if (first === undefined) throw new InvalidExportError("it is not a Slack export: it has no channels.json");
  return first.replace(/[^/]+$/, "");
}

interface Day {
  channel: Channel;
  entry: ArchiveEntry;
}

/** In the order of channels and days. Folders have the names of channels, or the ids of direct messages. */
function daysOf(
  entries: ReadonlyMap<string, ArchiveEntry>,
  root: string,
  channels: readonly Channel[],
): Day[] {
  const byFolder = new Map(
    channels.flatMap((channel) => [channel.id, channel.name].map((folder) => [folder, channel] as const)),
  );
  byFolder.delete("");
  return [...entries.values()]
    .flatMap((entry): Day[] => {
      if (!entry.path.startsWith(root)) return [];
      const [folder = "", day = "", ...rest] = entry.path.slice(root.length).split("/");
      const channel = byFolder.get(folder);
      return channel !== undefined && rest.length === 0 && DAY.test(day) ? [{ channel, entry }] : [];
    })
    .toSorted((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
}

const channelOf = (channel: Channel, texts: Texts): HistoryChannel => ({
  key: channel.id,
  name: channel.name,
  topic: texts.markdown(channel.topic?.value || channel.purpose?.value || ""),
  section: null,
  isArchived: channel.is_archived,
  createdAt: dateOf(channel.created),
  privateTo: channel.is_private ? channel.members : null,
  isDefault: channel.is_general,
});

async function findThreads(days: readonly Day[], users: Users): Promise<Map<string, HistoryThread>> {
  const threads = new ThreadFinder();
  for (const { channel, entry } of days)
    for await (const item of archiveItems(entry)) {
      const parsed = messageSchema.safeParse(item);
      if (!parsed.success || parsed.data.thread_ts === "") continue;
      const { ts, thread_ts: rootTs } = parsed.data;
      const at = secondsOf(ts);
      if (at === null) continue;
      const key = `${channel.id} ${rootTs}`;
      if (ts !== rootTs) threads.addReply(key, at);
      else threads.addRoot(key, { channel: channel.id, key: ts, at }, authorOf(parsed.data, users));
    }
  return threads.found();
}
