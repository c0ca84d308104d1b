import { dirname } from "node:path";
import { emojiByName, line, withEmoji } from "@fanfare/markup";
import {
  addUser,
  archivedLast,
  assertRoom,
  type HistoryChannel,
  type HistoryMessage,
  type HistoryThread,
  type Importer,
  type MessageRef,
  startOf,
  timeOf,
  UNKNOWN_TIME,
  type Users,
  withMentions,
  withTimes,
} from "./history.ts";
import { type ExportFiles, firstOf, folderFiles, zipFiles } from "./export-files.ts";
import { type Bytes, fileBytes, InvalidExportError, openZip, zipBytes } from "./inputs.ts";
import { type LineOf, linesOf, type Post } from "./mattermost-lines.ts";
import type { Report } from "./report.ts";

// Bulk exports of Mattermost: https://docs.mattermost.com/onboard/bulk-loading-data-format.html

const ZIP = /\.zip$/i;
const TEAM_ADMIN = /\bteam_admin\b/;

interface Survey {
  teams: Map<string, string>;
  channels: LineOf<"channel">["channel"][];
  users: Map<string, LineOf<"user">["user"]>;
  bots: LineOf<"bot">["bot"][];
}

export const mattermostHistory: Importer = async (
  [file, ...others],
  { name, team: wanted, media },
  report,
) => {
  if (file === undefined || others.length > 0)
    throw new InvalidExportError("a Mattermost export is one file");
  const folders = media === undefined ? [] : [media];
  const { open, files } = await opener(file, folders);
  const { teams, channels: all, users: accounts, bots } = await survey(open(), report);
  const team = chosenTeam([...teams.keys()], wanted);
  const users: Users = new Map();
  let ownerKey: string | null = null;
  for (const {
    username: key,
    email,
    nickname,
    first_name: first,
    last_name: last,
    delete_at: deletedAt,
    teams: of,
  } of accounts.values()) {
    const membership = of.find((one) => one.name === team);
    const isMember = membership !== undefined && !(deletedAt > 0);
    const shown = nickname || `${first} ${last}`.trim() || key;
    users.set(key, { key, username: key, name: shown, email, isMember });
    if (isMember && TEAM_ADMIN.test(membership.roles)) ownerKey ??= key;
  }
  for (const { username: key, display_name: shown } of bots)
    users.set(key, { key, username: key, name: shown || key, isMember: false });
  const ofTeam = new Map(all.flatMap((one) => (one.team === team ? [[one.name, one] as const] : [])));
  report.note("channels of other teams", "import one team at a time, with --team", all.length - ofTeam.size);
  const context: Context = { users, channels: ofTeam, team, report };
  const { threads, startedAt } = await findThreads(open(), context);
  const createdAt = (channel: string): Date => startedAt.get(channel) ?? UNKNOWN_TIME;
  const channels = withTimes(
    [...ofTeam.values()].map((one) => channelOf(one, createdAt(one.name), accounts.values(), team)),
  );
  return {
    // Exports have no ids.
    source: `${team} ${startOf(channels).toISOString()}`,
    name: name ?? (teams.get(team) || team),
    createdAt: startOf(channels),
    ownerKey,
    users,
    channels: archivedLast(channels),
    threads,
    files,
    missingFiles: "the export doesn't have them, and messages have their names",
    async *messages() {
      for await (const { post, channel } of postsOf(open(), context))
        yield* messagesOf(post, channel, context);
    },
  };
};

/** A ZIP archive of `mmctl export`, or only its file of lines. */
async function opener(
  file: string,
  folders: readonly string[],
): Promise<{ open: () => Bytes; files: ExportFiles }> {
  if (!ZIP.test(file))
    return {
      open: () => fileBytes(file),
      files: await folderFiles(folders, { folders: [dirname(file)], named: /^data$/ }),
    };
  const entries = await openZip(file);
  const [entry, ...more] = [...entries.values()].filter(({ path }) => /^[^/]+\.jsonl$/.test(path));
  if (entry === undefined || more.length > 0)
    throw new InvalidExportError("it is not a Mattermost export: it must have one .jsonl file");
  return { open: () => zipBytes(entry), files: firstOf(zipFiles(entries), await folderFiles(folders)) };
}

async function survey(bytes: Bytes, report: Report): Promise<Survey> {
  const found: Survey = { teams: new Map(), channels: [], users: new Map(), bots: [] };
  for await (const line of linesOf(bytes, report)) {
    if (line.type === "team") found.teams.set(line.team.name, line.team.display_name);
    if (line.type === "channel") found.channels.push(line.channel);
    if (line.type === "bot") found.bots.push(line.bot);
    if (line.type === "user") {
      assertRoom(found.users, "users");
      found.users.set(line.user.username, line.user);
    }
    if (line.type === "direct_channel") report.note("direct conversations", "a group has no direct messages");
    if (line.type === "direct_post") report.note("direct messages", "a group has no direct messages");
    if (line.type === "emoji")
      report.note("custom emoji", "add them in the settings of the group: messages keep their names");
  }
  return found;
}

function chosenTeam(teams: readonly string[], wanted: string | undefined): string {
  if (teams.length === 0) throw new InvalidExportError("it is not a Mattermost export: it has no team");
  const [only] = teams;
  const shown = teams.map((name) => JSON.stringify(name)).join(", ");
  if (wanted === undefined && teams.length > 1)
    throw new InvalidExportError(`it has several teams. Choose one with --team: ${shown}`);
  if (wanted !== undefined && !teams.includes(wanted))
    throw new InvalidExportError(`it has no team ${JSON.stringify(wanted)}, only: ${shown}`);
  return wanted ?? only!;
}

function channelOf(
  {
    name: key,
    display_name: name,
    type,
    header,
    purpose,
    deleted_at: deletedAt,
  }: LineOf<"channel">["channel"],
  createdAt: Date,
  accounts: Iterable<LineOf<"user">["user"]>,
  team: string,
): HistoryChannel {
  const canSee = ({ teams }: LineOf<"user">["user"]): boolean =>
    teams.some((one) => one.name === team && one.channels.some((channel) => channel.name === key));
  return {
    key,
    name: name || key,
    topic: header || purpose,
    section: deletedAt > 0 ? "Archived" : null,
    createdAt,
    privateTo: type === "P" ? [...accounts].filter(canSee).map(({ username }) => username) : null,
    isDefault: key === "town-square",
  };
}

interface Context {
  users: Users;
  channels: ReadonlyMap<string, unknown>;
  team: string;
  report: Report;
}

async function* postsOf(
  bytes: Bytes,
  { channels, team }: Context,
): AsyncGenerator<{ post: LineOf<"post">["post"]; channel: string }> {
  for await (const line of linesOf(bytes, null))
    if (line.type === "post" && line.post.team === team && channels.has(line.post.channel))
      yield { post: line.post, channel: line.post.channel };
}

/** Posts have no ids: two of a user in one millisecond and one channel don't exist. */
const refOf = (channel: string, { user, create_at: time }: Post): MessageRef | null => {
  const at = timeOf(time);
  return at === null ? null : { channel, key: `${user} ${time}`, at };
};

/** Also finds the time of the first message of each channel, since exports don't say when channels were created. */
async function findThreads(
  bytes: Bytes,
  context: Context,
): Promise<{ threads: Map<string, HistoryThread>; startedAt: Map<string, Date> }> {
  const threads = new Map<string, HistoryThread>();
  const startedAt = new Map<string, Date>();
  for await (const { post, channel } of postsOf(bytes, context)) {
    const root = refOf(channel, post);
    if (root === null) continue;
    if (root.at < (startedAt.get(channel) ?? new Date())) startedAt.set(channel, root.at);
    const times = post.replies.flatMap((reply) => timeOf(reply.create_at) ?? []);
    if (times.length === 0) continue;
    assertRoom(threads, "threads");
    const lastAt = times.reduce((last, time) => (time > last ? time : last), root.at);
    threads.set(threadKey(root), {
      root,
      author: authorOf(post.user, context.users),
      startedAt: root.at,
      lastAt,
    });
  }
  return { threads, startedAt };
}

const threadKey = ({ channel, key }: MessageRef): string => `${channel} ${key}`;

const authorOf = (key: string, users: Users): string =>
  addUser(users, { key, username: "", name: key, isMember: false });

function* messagesOf(
  post: LineOf<"post">["post"],
  channel: string,
  context: Context,
): Generator<HistoryMessage> {
  const root = refOf(channel, post);
  if (root === null) {
    context.report.note("messages without a time", "they cannot be sorted", 1 + post.replies.length);
    return;
  }
  const isRoot = post.replies.length > 0;
  const message = messageOf(post, root, null, isRoot, context);
  if (message !== null) yield message;
  for (const reply of post.replies) {
    const ref = refOf(channel, reply);
    if (ref === null) context.report.note("messages without a time", "they cannot be sorted");
    const answer = ref === null ? null : messageOf(reply, ref, threadKey(root), false, context);
    if (answer !== null) yield answer;
  }
}

/** @returns null if it is left out */
function messageOf(
  post: Post,
  ref: MessageRef,
  thread: string | null,
  isRoot: boolean,
  { users, report }: Context,
): HistoryMessage | null {
  const { type, message, edit_at: editedAt, is_pinned: isPinned, reactions, attachments, props } = post;
  if (type.startsWith("system_") && !isRoot) {
    report.note("notices about channels", "only messages are imported");
    return null;
  }
  const author = authorOf(post.user, users);
  const texts = [message, ...(props?.attachments ?? []).map((one) => one.text || one.fallback)];
  return {
    ...ref,
    thread,
    author,
    as: props?.override_username || null,
    content: markdownOf(texts.filter(Boolean).join("\n"), users),
    editedAt: editedAt > 0 ? timeOf(editedAt) : null,
    isDeleted: false,
    replyTo: null,
    files: attachments.map(({ path }) => {
      const fileName = path.split("/").at(-1) ?? "";
      return { name: fileName, paths: [`data/${path}`, path], instead: `📎 ${line(fileName)}` };
    }),
    pinned: isPinned ? { at: ref.at, by: author } : null,
    reactions: reactions.map(({ user, emoji_name: name }) => ({
      emoji: emojiByName(name) ?? `:${name.toLowerCase()}:`,
      users: [authorOf(user, users)],
    })),
  };
}

const markdownOf = (content: string, users: Users): string =>
  withMentions(withEmoji(content), /(?<![\w@.-])@([a-z0-9][a-z0-9._-]*)/g, (name) => users.get(name)?.key);
