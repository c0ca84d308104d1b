import { type GroupFileContent, LIMITS, PERMISSIONS } from "@fanfare/contract";
import {
  addAuthor,
  type History,
  type HistoryChannel,
  type HistoryThread,
  idOf,
  nameOf,
  startOf,
  UNKNOWN_TIME,
  userId,
  usernameOf,
} from "./history.ts";
import { type Line, messageId, messageLines, type Sinks } from "./message-lines.ts";
import type { Report } from "./report.ts";

/** The other threads of a channel are archived, so that new ones can be opened. */
export const OPEN_THREADS = LIMITS.threadsPerChannel / 2;
/** Of the people who can see a private channel; one override is for everyone else. */
const MAX_OVERRIDES = LIMITS.overridesPerChannel - 1;
const OWNER = "owner of the import";
const ARCHIVED = "Archived";

/**
 * A history as the lines of a group file. Messages get into the order of time, and direct ones into the sink for them.
 * @param folder for temporary files
 */
export async function* groupLines(
  original: History,
  report: Report,
  folder: string,
  sinks: Sinks,
): AsyncGenerator<GroupFileContent> {
  const history = { ...original, channels: archivedLast(original.channels) };
  const { name, users, directs } = history;
  const createdAt = history.createdAt ?? startOf(history.channels);
  const owner = history.ownerKey ?? OWNER;
  if (!users.has(owner)) users.set(owner, { key: owner, username: "", name: "Owner", isMember: false });
  const places = placeLines(history, createdAt, report);
  const general = history.channels.find(({ isDefault }) => isDefault) ?? history.channels[0];
  yield {
    type: "group",
    id: idOf("group", name, createdAt),
    name: nameOf(LIMITS.groupNameMaxChars, "Imported group", name),
    description: "",
    ownerId: userId(owner),
    defaultChannelId: general === undefined ? null : channelId(general),
    defaultPermissions: null,
    retentionDays: null,
    wordFilter: null,
    createdAt: createdAt.toISOString(),
  };
  yield* places.lines;
  const threads = threadLines(history, places.ids);
  yield* threads.values();
  report.add("threads", threads.size);
  const ids = {
    channels: places.ids,
    directs: new Map(directs.map(({ key }) => [key, directId(key)])),
    threads,
  };
  yield* messageLines(history, ids, sinks, report, folder);
  // Reading the messages has added their authors.
  if (sinks.directs !== null) sinks.directs.finish(membersOf(history));
  // Without the one who stands for the owner.
  report.add("users", users.size - (users.has(OWNER) ? 1 : 0));
  for (const { key, isMember } of users.values())
    if (isMember)
      yield {
        type: "member",
        userId: userId(key),
        roleIds: [],
        mutedUntil: null,
        joinedAt: createdAt.toISOString(),
      };
  for (const { key, name: shown, username } of users.values())
    yield {
      type: "user",
      id: userId(key),
      username: usernameOf(username),
      nickname: nameOf(LIMITS.nicknameMaxChars, "Unknown user", shown, username),
    };
}

const archivedLast = (channels: readonly HistoryChannel[]): HistoryChannel[] =>
  channels.toSorted((a, b) => Number(a.isArchived ?? false) - Number(b.isArchived ?? false));

// The same in later exports, whatever they say about times.
const channelId = ({ key }: HistoryChannel): string => idOf("channel", key, UNKNOWN_TIME);
const directId = (key: string): string => idOf("direct", key, UNKNOWN_TIME);
const threadId = ({ root, startedAt }: HistoryThread): string =>
  idOf("thread", `${root.channel}\n${root.key}`, startedAt);

/** The users in direct conversations, by id, which can be unknown otherwise. */
const membersOf = ({ directs, users }: History): Map<string, string[]> =>
  new Map(
    directs.map(({ key, members }) => [
      directId(key),
      [...new Set(members)].map((member) => userId(addAuthor(users, member, ""))),
    ]),
  );

const channelName = (name: string): string => nameOf(LIMITS.channelNameMaxChars, "unnamed", name);
const channelLine = (id: string, createdAt: Date, rest: Partial<Line<"channel">>): Line<"channel"> => ({
  type: "channel",
  id,
  kind: "text",
  name: "",
  topic: "",
  sectionId: null,
  position: 0,
  slowModeSeconds: 0,
  overrides: [],
  thread: null,
  createdAt: createdAt.toISOString(),
  ...rest,
});

/** @returns the lines of channels and of the sections before them, and the ids of the channels by key */
function placeLines(
  { channels, users }: History,
  startedAt: Date,
  report: Report,
): { lines: Line<"channel">[]; ids: Map<string, string> } {
  const sections = new Map<string, Line<"channel">>();
  const lines: Line<"channel">[] = [];
  const ids = new Map<string, string>();
  for (const channel of channels) {
    const { privateTo, topic, isArchived = false, isVoice = false } = channel;
    const name = isArchived ? ARCHIVED : channel.section;
    // If the export has no time.
    const createdAt = channel.createdAt ?? startedAt;
    if (ids.has(channel.key)) continue;
    if (
      lines.length + sections.size + (name === null || sections.has(name) ? 1 : 2) >
      LIMITS.channelsPerGroup
    ) {
      report.note("channels");
      continue;
    }
    if (name !== null && !sections.has(name))
      sections.set(
        name,
        channelLine(idOf("section", name, UNKNOWN_TIME), createdAt, {
          kind: "section",
          name: channelName(name),
          position: sections.size,
        }),
      );
    const viewers = (privateTo ?? []).filter((key) => users.has(key));
    report.note("largePrivateChannels", Math.max(0, viewers.length - MAX_OVERRIDES));
    ids.set(channel.key, channelId(channel));
    const line = channelLine(channelId(channel), createdAt, {
      kind: isVoice ? "voice" : "text",
      name: channelName(channel.name),
      position: lines.length,
      topic: topic.toWellFormed().slice(0, LIMITS.topicMaxChars).toWellFormed(),
      sectionId: name === null ? null : sections.get(name)!.id,
      overrides:
        privateTo === null
          ? []
          : [
              { type: "everyone", allow: 0, deny: PERMISSIONS.view },
              ...viewers.slice(0, MAX_OVERRIDES).map((key) => ({
                type: "member" as const,
                id: userId(key),
                allow: PERMISSIONS.view,
                deny: 0,
              })),
            ],
    });
    lines.push(line);
    report.add(privateTo === null ? "channels" : "privateChannels");
  }
  return { lines: [...sections.values(), ...lines], ids };
}

/** @returns the lines by the key of the thread */
function threadLines(
  { threads }: History,
  places: ReadonlyMap<string, string>,
): Map<string, Line<"channel">> {
  const open = new Map<string, number>();
  const newest = [...threads].toSorted(([, a], [, b]) => b.lastAt.getTime() - a.lastAt.getTime());
  const lines = newest.flatMap(([key, thread]): [string, Line<"channel">][] => {
    const { root, author, startedAt, lastAt } = thread;
    const parentId = places.get(root.channel);
    if (parentId === undefined) return [];
    const count = (open.get(parentId) ?? 0) + 1;
    open.set(parentId, count);
    const line = channelLine(threadId(thread), startedAt, {
      kind: "thread",
      thread: {
        parentId,
        rootMessageId: messageId(root),
        createdBy: userId(author),
        archivedAt: count > OPEN_THREADS ? lastAt.toISOString() : null,
        lastActivityAt: lastAt.toISOString(),
      },
    });
    return [[key, line]];
  });
  return new Map(lines);
}
