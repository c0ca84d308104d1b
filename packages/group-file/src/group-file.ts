import { createHash } from "node:crypto";
import {
  GROUP_FILE_FORMAT,
  GROUP_FILE_VERSION,
  LIMITS,
  textOf,
  type GroupFileContent,
  type GroupFileLine,
  type GroupFileLineOf,
  type Services,
} from "@fanfare/contract";
import { MENTION } from "./lines-of.ts";

const CHANNELS_PER_LOOKUP = 50;

/**
 * Exports a group as JSON lines, each with its newline: roles, channels, threads, members, messages with their reactions, and
 * finally all referenced users. Only ids of channels and users are held in memory. If the group changes during the export, the file
 * isn't a point-in-time snapshot, but it is consistent.
 */
export const groupFile = (source: GroupSource): AsyncGenerator<string> => encodeGroupFile(content(source));

/** Adds the first and the last line to the lines of a group, and encodes them. */
export const encodeGroupFile = (content: AsyncIterable<GroupFileContent>): AsyncGenerator<string> =>
  encodeLines<GroupFileLine>(
    { type: "header", format: GROUP_FILE_FORMAT, version: GROUP_FILE_VERSION },
    content,
  );

/** Encodes the lines of a file, each with its newline. The last one has their number and hash. */
export async function* encodeLines<L>(header: L, content: AsyncIterable<L>): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let lines = 0;
  const encode = (line: L): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines += 1;
    return text;
  };
  yield encode(header);
  for await (const line of content) yield encode(line);
  yield `${JSON.stringify({ type: "end", lines, sha256: hash.digest("hex") })}\n`;
}

async function* content(source: GroupSource): AsyncGenerator<GroupFileContent> {
  const { group, roles, sectionIds, channelIds } = await source.head();
  const users = new Set<string>();
  const roleIds = new Set(roles.map(({ id }) => id));
  const places = new Set<string>();
  // References to deleted channels are dropped.
  const place = (id: string | null): string | null => (id !== null && places.has(id) ? id : null);
  const recordUsers = <T extends GroupFileContent>(line: T): T => {
    for (const id of usersOf(line)) users.add(id);
    return line;
  };

  const all = [...sectionIds, ...channelIds];
  const listed = (id: string | null = null): string | null => (all.includes(id ?? "") ? id : null);
  yield recordUsers({
    ...group,
    defaultChannelId: listed(group.defaultChannelId),
    systemChannelId: listed(group.systemChannelId),
  });
  yield* roles;
  const isRoleKnown = (override: GroupFileLineOf<"channel">["overrides"][number]): boolean =>
    override.type !== "role" || roleIds.has(override.id);
  const textIds: string[] = [];
  for (const some of chunks(all, CHANNELS_PER_LOOKUP)) {
    for (const line of await source.channels(some)) {
      if (line.kind !== "section") textIds.push(line.id);
      const sectionId = place(line.sectionId);
      places.add(line.id);
      yield recordUsers({ ...line, sectionId, overrides: line.overrides.filter(isRoleKnown) });
    }
  }
  const threadIds: string[] = [];
  for (const channelId of textIds) {
    for await (const line of pages((after: string | null) => source.threads(channelId, after))) {
      threadIds.push(line.id);
      places.add(line.id);
      yield recordUsers(line);
    }
  }
  for await (const line of pages((after: string | null) => source.members(after)))
    yield recordUsers({ ...line, roleIds: line.roleIds.filter((id) => roleIds.has(id)) });
  for (const channelId of [...textIds, ...threadIds]) {
    for await (const line of pages((after: Parameters<GroupSource["messages"]>[1]) =>
      source.messages(channelId, after),
    )) {
      if (line.type === "message" && line.threadId !== undefined && !places.has(line.threadId))
        delete line.threadId;
      yield recordUsers(line);
    }
  }
  for (const some of chunks([...users], LIMITS.exportedUsersPerLookup)) yield* await source.users(some);
}

/** The users that a line refers to. */
function usersOf(line: GroupFileContent): string[] {
  switch (line.type) {
    case "group":
      return [line.ownerId];
    case "channel": {
      const members = line.overrides.flatMap((override) => (override.type === "member" ? [override.id] : []));
      return line.thread === null ? members : [...members, line.thread.createdBy];
    }
    case "member":
    case "reaction":
      return [line.userId];
    case "message": {
      const inText = [...textOf(line).matchAll(MENTION)].flatMap(([, role, id]) =>
        role === "" ? [id!] : [],
      );
      const pinnedBy = line.pinned === undefined ? [] : [line.pinned.by];
      return [
        line.authorId,
        ...inText,
        ...(line.mentions?.userIds ?? []),
        ...(line.call?.participantUserIds ?? []),
        ...pinnedBy,
      ];
    }
    default:
      return [];
  }
}

/** The pages of an export. @param read called with the position after the previous page, first with null */
export async function* readPages<P, R extends { next: P | null }>(
  read: (after: P | null) => Promise<R>,
): AsyncGenerator<R> {
  let after: P | null = null;
  do {
    const page = await read(after);
    yield page;
    after = page.next;
  } while (after !== null);
}

async function* pages<T, P>(read: (after: P | null) => Promise<Page<T, P>>): AsyncGenerator<T> {
  for await (const { lines } of readPages(read)) yield* lines;
}

function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** A page of lines, and the position after which the next page starts; null: this is the last page. */
interface Page<T, P> {
  lines: T[];
  next: P | null;
}

/** A position in the messages of a channel: after a message, or after a user's reaction to it. */
export interface ReactionPosition {
  seq: number;
  emoji?: string | undefined;
  userId?: string | undefined;
}

/** Reads a group in pages. Lines can still refer to deleted channels, roles and users. */
interface GroupSource {
  /** @returns the group, its roles, and the ids of its sections and channels in display order */
  head(): Promise<{
    group: GroupFileLineOf<"group">;
    roles: GroupFileLineOf<"role">[];
    sectionIds: string[];
    channelIds: string[];
  }>;
  /** The given channels that still exist, in the given order. */
  channels(channelIds: readonly string[]): Promise<GroupFileLineOf<"channel">[]>;

  threads(channelId: string, afterId: string | null): Promise<Page<GroupFileLineOf<"channel">, string>>;
  members(afterUserId: string | null): Promise<Page<GroupFileLineOf<"member">, string>>;
  /** Messages by seq, each followed by its reactions. */
  messages(
    channelId: string,
    after: ReactionPosition | null,
  ): Promise<Page<GroupFileLineOf<"message" | "reaction">, ReactionPosition>>;
  /** One line for each user, even if the user was deleted. */
  users(userIds: readonly string[]): Promise<GroupFileLineOf<"user">[]>;
}

/** Reads a group through the services. */
export function groupOfServices({ group, message, user }: Services, groupId: string): GroupSource {
  return {
    head: () => group.exportHead({ groupId }),
    async channels(channelIds) {
      const { lines } = await group.exportChannels({ groupId, channelIds: [...channelIds] });
      return lines;
    },
    threads: (channelId, afterId) => group.exportThreads({ groupId, channelId, afterId }),
    members: (afterUserId) => group.exportMembers({ groupId, afterUserId }),
    messages: (channelId, after) => message.exportChannel({ channelId, after }),
    async users(userIds) {
      const { lines } = await user.exportNames({ userIds: [...userIds] });
      return lines;
    },
  };
}
