import { dirname } from "node:path";
import { withEmoji } from "@fanfare/markup";
import {
  addAuthor,
  addUser,
  assertRoom,
  emojiOf,
  fileMark,
  type HistoryChannel,
  type HistoryDirect,
  type HistoryMessage,
  type HistoryThread,
  type Importer,
  type MessageRef,
  startOf,
  ThreadFinder,
  timeOf,
  type Users,
  withMentions,
} from "./history.ts";
import { archiveFiles, type ExportFiles, firstOf, mediaFiles } from "./export-files.ts";
import {
  type Bytes,
  fileBytes,
  InvalidExportError,
  isFolder,
  onlyOne,
  openArchive,
  archiveBytes,
} from "./inputs.ts";
import { type LineOf, linesOf, type Post, type Thread } from "./mattermost-lines.ts";
import type { Report } from "./report.ts";

// Bulk exports of Mattermost: https://docs.mattermost.com/onboard/bulk-loading-data-format.html

const ZIP = /\.zip$/i;
const TEAM_ADMIN = /\bteam_admin\b/;

interface Survey {
  teams: Map<string, string>;
  channels: LineOf<"channel">["channel"][];
  directs: Map<string, HistoryDirect>;
  users: Map<string, LineOf<"user">["user"]>;
  bots: LineOf<"bot">["bot"][];
}

export const mattermostHistory: Importer = async (paths, { name, team: wanted, media }, report) => {
  const file = onlyOne(paths, "a Mattermost export is one file");
  const { open, files } = await opener(file, media);
  const { teams, channels: all, directs: allDirects, users: accounts, bots } = await survey(open(), report);
  const team = chosenTeam([...teams.keys()], wanted);
  const users: Users = new Map();
  let ownerKey: string | null = null;
  for (const account of accounts.values()) {
    const { username: key, email, nickname, first_name: first, last_name: last } = account;
    const membership = account.teams.find((one) => one.name === team);
    const isMember = membership !== undefined && !(account.delete_at > 0);
    addUser(users, {
      key,
      username: key,
      name: nickname || `${first} ${last}`.trim() || key,
      email,
      isMember,
    });
    if (isMember && TEAM_ADMIN.test(membership.roles)) ownerKey ??= key;
  }
  for (const { username: key, display_name: shown } of bots) addAuthor(users, key, shown || key);
  const ofTeam = new Map(all.flatMap((one) => (one.team === team ? [[one.name, one] as const] : [])));
  report.note("otherTeams", all.length - ofTeam.size);
  // Those of people in other teams belong to the imports of these.
  const directs = [...allDirects.values()].filter(({ members }) =>
    members.some((key) => users.get(key)?.isMember === true),
  );
  const places = new Set([...ofTeam.keys(), ...directs.map(({ key }) => key)]);
  const context: Context = { users, places, team, report };
  const { threads, startedAt } = await findThreads(open(), context);
  const channels = [...ofTeam.values()].map((one) =>
    channelOf(one, startedAt.get(one.name) ?? null, accounts.values(), team),
  );
  return {
    // Exports have no ids.
    source: `${team} ${startOf(channels).toISOString()}`,
    name: name ?? (teams.get(team) || team),
    ownerKey,
    users,
    channels,
    directs,
    threads,
    files,
    missingFiles: "missingFiles",
    async *messages() {
      for await (const { post, place } of postsOf(open(), context)) yield* messagesOf(post, place, context);
    },
  };
};

/** A ZIP archive of `mmctl export`, the folder that it was unpacked to, or only its file of lines. */
async function opener(
  file: string,
  media: string | undefined,
): Promise<{ open: () => Bytes; files: ExportFiles }> {
  if (!ZIP.test(file) && !(await isFolder(file)))
    return {
      open: () => fileBytes(file),
      files: await mediaFiles(media, { folders: [dirname(file)], named: /^data$/ }),
    };
  const entries = await openArchive(file);
  const [entry, ...more] = [...entries.values()].filter(({ path }) => /^[^/]+\.jsonl$/.test(path));
  if (entry === undefined || more.length > 0)
    throw new InvalidExportError("it is not a Mattermost export: it must have one .jsonl file");
  return { open: () => archiveBytes(entry), files: firstOf(archiveFiles(entries), await mediaFiles(media)) };
}

async function survey(bytes: Bytes, report: Report): Promise<Survey> {
  const found: Survey = { teams: new Map(), channels: [], directs: new Map(), users: new Map(), bots: [] };
  const addDirect = (members: readonly string[]): void => {
    const key = directKey(members);
    if (members.length > 0 && !found.directs.has(key))
      found.directs.set(key, { key, members: [...new Set(members)] });
    assertRoom(found.directs, "direct conversations");
  };
  for await (const line of linesOf(bytes, report)) {
    if (line.type === "team") found.teams.set(line.team.name, line.team.display_name);
    if (line.type === "channel") found.channels.push(line.channel);
    if (line.type === "bot") found.bots.push(line.bot);
    if (line.type === "user") {
      assertRoom(found.users, "users");
      found.users.set(line.user.username, line.user);
    }
    if (line.type === "direct_channel") addDirect(membersOf(line.direct_channel));
    if (line.type === "direct_post") addDirect(line.direct_post.channel_members);
    if (line.type === "emoji") report.note("customEmoji");
  }
  return found;
}

const membersOf = ({ members, participants }: LineOf<"direct_channel">["direct_channel"]): string[] => [
  ...members,
  ...participants.map(({ username }) => username),
];

/** Direct messages have no name: a space isn't in those of channels. */
const directKey = (members: readonly string[]): string =>
  `direct ${[...new Set(members)].toSorted().join(" ")}`;

function chosenTeam(teams: readonly string[], wanted: string | undefined): string {
  if (teams.length === 0) throw new InvalidExportError("it is not a Mattermost export: it has no team");
  const [only] = teams;
  const names = teams.map((name) => JSON.stringify(name)).join(", ");
  const failure = { code: "chooseTeam", details: { names } } as const;
  if (wanted === undefined && teams.length > 1)
    throw new InvalidExportError(`it has several teams. Choose one with --team: ${names}`, failure);
  if (wanted !== undefined && !teams.includes(wanted))
    throw new InvalidExportError(`it has no team ${JSON.stringify(wanted)}, only: ${names}`, failure);
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
  createdAt: Date | null,
  accounts: Iterable<LineOf<"user">["user"]>,
  team: string,
): HistoryChannel {
  const canSee = ({ teams }: LineOf<"user">["user"]): boolean =>
    teams.some((one) => one.name === team && one.channels.some((channel) => channel.name === key));
  return {
    key,
    name: name || key,
    topic: header || purpose,
    section: null,
    isArchived: deletedAt > 0,
    createdAt,
    privateTo: type === "P" ? [...accounts].filter(canSee).map(({ username }) => username) : null,
    isDefault: key === "town-square",
  };
}

interface Context {
  users: Users;
  /** Keys of channels of the team, and of direct messages. */
  places: ReadonlySet<string>;
  team: string;
  report: Report;
}

async function* postsOf(
  bytes: Bytes,
  { places, team }: Context,
): AsyncGenerator<{ post: Thread; place: string }> {
  for await (const line of linesOf(bytes, null)) {
    const found =
      line.type === "post" && line.post.team === team
        ? { post: line.post, place: line.post.channel }
        : line.type === "direct_post"
          ? { post: line.direct_post, place: directKey(line.direct_post.channel_members) }
          : null;
    if (found !== null && places.has(found.place)) yield found;
  }
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
  const threads = new ThreadFinder();
  const startedAt = new Map<string, Date>();
  for await (const { post, place } of postsOf(bytes, context)) {
    const root = refOf(place, post);
    if (root === null) continue;
    if (root.at < (startedAt.get(place) ?? new Date())) startedAt.set(place, root.at);
    const times = post.replies.flatMap((reply) => timeOf(reply.create_at) ?? []);
    if (times.length > 0) threads.addRoot(threadKey(root), root, authorOf(post.user, context.users));
    for (const at of times) threads.addReply(threadKey(root), at);
  }
  return { threads: threads.found(), startedAt };
}

const threadKey = ({ channel, key }: MessageRef): string => `${channel} ${key}`;

const authorOf = (key: string, users: Users): string => addAuthor(users, key, key);

function* messagesOf(post: Thread, channel: string, context: Context): Generator<HistoryMessage> {
  const root = refOf(channel, post);
  if (root === null) {
    context.report.note("untimed", 1 + post.replies.length);
    return;
  }
  const isRoot = post.replies.length > 0;
  const message = messageOf(post, root, null, isRoot, context);
  if (message !== null) yield message;
  for (const reply of post.replies) {
    const ref = refOf(channel, reply);
    if (ref === null) context.report.note("untimed");
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
    report.note("notices");
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
    files: attachments.map(({ path }) => {
      const fileName = path.split("/").at(-1) ?? "";
      return { name: fileName, paths: [`data/${path}`, path], instead: fileMark(fileName) };
    }),
    pinned: isPinned ? { at: ref.at, by: author } : null,
    reactions: reactions.map(({ user, emoji_name: name }) => ({
      emoji: emojiOf(name),
      users: [authorOf(user, users)],
    })),
  };
}

const markdownOf = (content: string, users: Users): string =>
  withMentions(withEmoji(content), /(?<![\w@.-])@([a-z0-9][a-z0-9._-]*)/g, (name) => users.get(name)?.key);
