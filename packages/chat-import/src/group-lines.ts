import { type GroupFileContent, LIMITS, PERMISSIONS } from "@fanfare/contract";
import {
  type History,
  type HistoryChannel,
  type HistoryThread,
  idOf,
  nameOf,
  userId,
  usernameOf,
} from "./history.ts";
import type { FileSink } from "./message-files.ts";
import { type Line, messageId, messageLines } from "./message-lines.ts";
import type { Report } from "./report.ts";

/** The other threads of a channel are archived, so that new ones can be opened. */
const OPEN_THREADS = LIMITS.threadsPerChannel / 2;
/** Of the people who can see a private channel; one override is for everyone else. */
const MAX_OVERRIDES = LIMITS.overridesPerChannel - 1;
const OWNER = "owner of the import";

/**
 * A history as the lines of a group file. Messages get into the order of time.
 * @param folder for temporary files
 * @param files null: files aren't kept, only their names or links
 */
export async function* groupLines(
  history: History,
  report: Report,
  folder: string,
  files: FileSink | null,
): AsyncGenerator<GroupFileContent> {
  const { name, createdAt, users } = history;
  const owner = history.ownerKey ?? OWNER;
  if (!users.has(owner)) users.set(owner, { key: owner, username: "", name: "Owner", isMember: false });
  const places = placeLines(history, report);
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
  yield* messageLines(history, { places: places.ids, threads, files }, report, folder);
  // Reading the messages has added their authors.
  report.add("users", users.size);
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

const channelId = ({ key, createdAt }: HistoryChannel): string => idOf("channel", key, createdAt);
const threadId = ({ root, startedAt }: HistoryThread): string =>
  idOf("thread", `${root.channel}\n${root.key}`, startedAt);

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
  report: Report,
): { lines: Line<"channel">[]; ids: Map<string, string> } {
  const sections = new Map<string, Line<"channel">>();
  const lines: Line<"channel">[] = [];
  const ids = new Map<string, string>();
  for (const channel of channels) {
    const { section: name, createdAt, privateTo, topic, isVoice = false } = channel;
    if (ids.has(channel.key)) continue;
    if (
      lines.length + sections.size + (name === null || sections.has(name) ? 1 : 2) >
      LIMITS.channelsPerGroup
    ) {
      report.note("channels", `a group has at most ${LIMITS.channelsPerGroup}, with its sections`);
      continue;
    }
    if (name !== null && !sections.has(name))
      sections.set(
        name,
        channelLine(idOf("section", name, createdAt), createdAt, {
          kind: "section",
          name: channelName(name),
          position: sections.size,
        }),
      );
    const viewers = (privateTo ?? []).filter((key) => users.has(key));
    report.note(
      "members of large private channels",
      `a channel has at most ${LIMITS.overridesPerChannel} overrides`,
      Math.max(0, viewers.length - MAX_OVERRIDES),
    );
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
    report.add(privateTo === null ? "channels" : "private channels");
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
