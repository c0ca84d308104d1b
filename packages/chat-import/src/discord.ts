import { basename, dirname } from "node:path";
import { z } from "zod";
import {
  addAuthor,
  id,
  type Message,
  messageOf,
  messageSchema,
  THREAD_CREATED,
  timeOfId,
} from "./discord-messages.ts";
import {
  assertRoom,
  type HistoryChannel,
  type HistoryThread,
  type Importer,
  text,
  type Users,
} from "./history.ts";
import { folderFiles } from "./export-files.ts";
import { fileItems, InvalidExportError } from "./inputs.ts";
import type { Report } from "./report.ts";

// JSON of DiscordChatExporter, one file for each channel or thread: https://github.com/Tyrrrz/DiscordChatExporter

const THREAD = /Thread$/;
const DIRECT = /^Direct/;
const VOICE = /Voice/;

const headSchema = z.object({
  guild: z.object({ id, name: text }),
  channel: z.object({ id, type: text, categoryId: text, category: text, name: text, topic: text }),
});
type Head = z.output<typeof headSchema>;

interface ExportFile extends Head {
  file: string;
}

export const discordHistory: Importer = async (files, { name, media }, report) => {
  const heads = await Promise.all(files.map(headOf));
  const guild = heads[0]?.guild;
  if (guild === undefined) throw new InvalidExportError("name at least one file");
  const other = heads.find((one) => one.guild.id !== guild.id);
  if (other !== undefined)
    throw new InvalidExportError(`${basename(other.file)} is of another server: import one server at a time`);
  report.note("direct conversations", "a group has no direct messages", heads.filter(isDirect).length);
  const exported = heads.filter((one) => !isDirect(one));
  const users: Users = new Map();
  const known = new Set(
    exported.filter(({ channel }) => !THREAD.test(channel.type)).map(({ channel }) => channel.id),
  );
  const threads = await findThreads(exported, known, users);
  const names = new Map(exported.map(({ channel }) => [channel.id, channel.name]));
  const channels = new Map<string, HistoryChannel>();
  for (const { channel } of exported)
    if (!threads.has(channel.id)) channels.set(channel.id, channelOf(channel));
  return {
    source: guild.id,
    name: name ?? guild.name,
    createdAt: timeOfId(guild.id),
    ownerKey: null,
    users,
    channels: [...channels.values()],
    threads,
    // Paths of downloaded media start at the folder of the file that names them.
    files: await folderFiles(media === undefined ? [] : [media], {
      folders: files.map(dirname),
      named: /_Files$/,
    }),
    missingFiles: "they stay at Discord, and messages link to them",
    async *messages() {
      for (const { file, channel } of exported) {
        const thread = threads.get(channel.id);
        for await (const message of messagesOf(file, report)) {
          const place = {
            channel: thread?.root.channel ?? channel.id,
            thread: thread === undefined ? null : channel.id,
          };
          const shown = messageOf(message, channel.id, place, { users, threads, names, report });
          if (shown !== null) yield shown;
        }
      }
    },
  };
};

const isDirect = ({ channel }: Head): boolean => DIRECT.test(channel.type);

async function headOf(file: string): Promise<ExportFile> {
  for await (const first of fileItems(file, "messages")) {
    const head = headSchema.safeParse(first);
    if (!head.success) break;
    return { ...head.data, file };
  }
  throw new InvalidExportError(`${basename(file)} is not JSON of DiscordChatExporter`);
}

async function* messagesOf(file: string, report: Report | null): AsyncGenerator<Message> {
  let isHead = true;
  for await (const item of fileItems(file, "messages")) {
    const parsed = isHead ? null : messageSchema.safeParse(item);
    isHead = false;
    if (parsed?.success === true) yield parsed.data;
    else if (parsed !== null) report?.note("messages without ID or author", "they cannot be imported");
  }
}

/** Threads in forums have channels only for themselves, so they get into the section of their forum. */
function channelOf({ id: key, type, category, name, topic }: Head["channel"]): HistoryChannel {
  return {
    key,
    name,
    topic,
    section: category || null,
    createdAt: timeOfId(key),
    privateTo: type === "GuildPrivateThread" ? [] : null,
    isDefault: name === "general",
    isVoice: VOICE.test(type),
  };
}

/** A thread has the id of the message that it is about, or a message about its creation. */
async function findThreads(
  files: readonly ExportFile[],
  known: ReadonlySet<string>,
  users: Users,
): Promise<Map<string, HistoryThread>> {
  const wanted = new Map(
    files.flatMap(({ channel: { id: key, type, categoryId } }) =>
      THREAD.test(type) && type !== "GuildPrivateThread" && known.has(categoryId)
        ? [[key, categoryId] as const]
        : [],
    ),
  );
  const threads = new Map<string, HistoryThread>();
  const lastAt = new Map<string, Date>();
  if (wanted.size === 0) return threads;
  for (const { file, channel } of files)
    for await (const { id: key, type, author, reference } of messagesOf(file, null)) {
      const at = timeOfId(key);
      if (wanted.has(channel.id)) {
        lastAt.set(channel.id, at);
        continue;
      }
      const about = wanted.has(key) ? key : type === THREAD_CREATED ? (reference?.channelId ?? "") : "";
      if (wanted.get(about) !== channel.id || (threads.has(about) && about !== key)) continue;
      assertRoom(threads, "threads");
      const root = { channel: channel.id, key, at };
      threads.set(about, { root, author: addAuthor(users, author), startedAt: at, lastAt: at });
    }
  for (const [key, thread] of threads) thread.lastAt = lastAt.get(key) ?? thread.startedAt;
  return threads;
}
