import { basename, dirname, relative, sep } from "node:path";
import { z } from "zod";
import {
  addAuthor,
  type Author,
  type Context,
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
  type HistoryMessage,
  type HistoryThread,
  type Importer,
  text,
  ThreadFinder,
  type Users,
} from "./history.ts";
import { mediaFiles } from "./export-files.ts";
import { fileMessages, filesIn, InvalidExportError, isFolder } from "./inputs.ts";
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

export const discordHistory: Importer = async (named, { name, media }, report) => {
  const files = (await Promise.all(named.map(exportsIn))).flat();
  const heads = await Promise.all(files.map(headOf));
  const exported = heads.filter((one) => !isDirect(one));
  const guild = exported[0]?.guild;
  if (guild === undefined)
    throw new InvalidExportError("name at least one file of a server, also to import direct messages");
  const other = exported.find((one) => one.guild.id !== guild.id);
  if (other !== undefined)
    throw new InvalidExportError(`${basename(other.file)} is of another server: import one server at a time`);
  const users: Users = new Map();
  const known = new Set(
    exported.filter(({ channel }) => !THREAD.test(channel.type)).map(({ channel }) => channel.id),
  );
  const threads = await findThreads(exported, known, users);
  const names = new Map(exported.map(({ channel }) => [channel.id, channel.name]));
  const channels = new Map<string, HistoryChannel>();
  for (const { channel } of exported)
    if (!threads.has(channel.id)) channels.set(channel.id, channelOf(channel));
  const conversations = await Promise.all(heads.filter(isDirect).map(conversationOf));
  return {
    source: guild.id,
    name: name ?? guild.name,
    createdAt: timeOfId(guild.id),
    ownerKey: null,
    users,
    channels: [...channels.values()],
    directs: conversations.map(({ channel, authors }) => ({
      key: channel.id,
      members: authors.map(({ id: key }) => key),
    })),
    threads,
    // Paths of downloaded media start at the folder of the file that names them.
    files: await mediaFiles(media, { folders: files.map(dirname), named: /_Files$/ }),
    missingFiles: "linkedFiles",
    async *messages() {
      const context = { users, threads, names, report };
      for (const { file, channel } of exported) {
        const thread = threads.get(channel.id);
        const place = {
          channel: thread?.root.channel ?? channel.id,
          thread: thread === undefined ? null : channel.id,
        };
        yield* historyOf(file, channel.id, place, context);
      }
      // Last, so that the members of the server are known: others who write direct messages are none.
      for (const { file, channel, authors } of conversations) {
        for (const author of authors) addAuthor(users, author, false);
        yield* historyOf(file, channel.id, { channel: channel.id }, context);
      }
    },
  };
};

async function* historyOf(
  file: string,
  channel: string,
  place: Pick<HistoryMessage, "channel" | "thread">,
  context: Context,
): AsyncGenerator<HistoryMessage> {
  for await (const message of messagesOf(file, context.report)) {
    const shown = messageOf(message, channel, place, context);
    if (shown !== null) yield shown;
  }
}

/** The export doesn't list members, so they are the authors. Someone who has written nothing has only a name. */
async function conversationOf(direct: ExportFile): Promise<ExportFile & { authors: Author[] }> {
  const { file, channel } = direct;
  const authors = new Map<string, Author>();
  for await (const { author } of messagesOf(file, null)) {
    assertRoom(authors, "users");
    authors.set(author.id, author);
  }
  const least = channel.type === "DirectGroupTextChat" ? 3 : 2;
  for (let n = 1; authors.size < least; n += 1) {
    const key = n === 1 ? `direct ${channel.id}` : `direct ${channel.id} ${n}`;
    authors.set(key, { id: key, name: "", nickname: channel.name, isBot: false });
  }
  return { ...direct, authors: [...authors.values()] };
}

const isDirect = ({ channel }: Head): boolean => DIRECT.test(channel.type);

/** A folder stands for the JSON in it that is not one of the downloaded files of a message. */
async function exportsIn(path: string): Promise<string[]> {
  if (!(await isFolder(path))) return [path];
  return (await filesIn(path)).filter((file) => {
    const folders = relative(path, dirname(file)).split(sep);
    return /\.json$/i.test(file) && !folders.some((one) => one.endsWith("_Files") || one === "__MACOSX");
  });
}

async function headOf(file: string): Promise<ExportFile> {
  for await (const first of fileMessages(file)) {
    const head = headSchema.safeParse(first);
    if (!head.success) break;
    return { ...head.data, file };
  }
  throw new InvalidExportError(`${basename(file)} is not JSON of DiscordChatExporter`);
}

async function* messagesOf(file: string, report: Report | null): AsyncGenerator<Message> {
  let isHead = true;
  for await (const item of fileMessages(file)) {
    const parsed = isHead ? null : messageSchema.safeParse(item);
    isHead = false;
    if (parsed?.success === true) yield parsed.data;
    else if (parsed !== null) report?.note("unidentified");
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
  const threads = new ThreadFinder();
  const found = new Set<string>();
  if (wanted.size === 0) return new Map();
  for (const { file, channel } of files)
    for await (const { id: key, type, author, reference } of messagesOf(file, null)) {
      const at = timeOfId(key);
      if (wanted.has(channel.id)) {
        threads.addReply(channel.id, at);
        continue;
      }
      const about = wanted.has(key) ? key : type === THREAD_CREATED ? (reference?.channelId ?? "") : "";
      if (wanted.get(about) !== channel.id || (found.has(about) && about !== key)) continue;
      found.add(about);
      threads.addRoot(about, { channel: channel.id, key, at }, addAuthor(users, author));
      // It has a file, so it is a thread, also without replies.
      threads.addReply(about, at);
    }
  return threads.found();
}
