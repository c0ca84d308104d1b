import { createHash } from "node:crypto";
import {
  GROUP_FILE_FORMAT,
  GROUP_FILE_VERSION,
  type GroupFileContent,
  type GroupFileLine,
  type GroupFileLineOf,
  GroupFileLineSchema,
  LIMITS,
} from "@fanfare/contract";
import { z } from "zod";

/** Several times the size of the longest message. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface NumberedLine {
  number: number;
  line: GroupFileContent;
}

/**
 * Reads the lines between header and end. The file is verified only once all of them have been read.
 * @throws {InvalidLineError} if the file was modified or truncated
 */
export async function* readGroupFile(chunks: AsyncIterable<Buffer>): AsyncGenerator<NumberedLine> {
  const hash = createHash("sha256");
  let number = 0;
  let isWhole = false;
  for await (const bytes of splitLines(chunks)) {
    number += 1;
    if (isWhole) throw new InvalidLineError(number, "there is data after the end line");
    const line = parse(number, bytes);
    if ((line.type === "header") !== (number === 1))
      throw new InvalidLineError(number, "the header must be the first line and appear only once");
    if (line.type === "end") {
      if (line.lines !== number - 1) throw new InvalidLineError(number, "the number of lines does not match");
      if (line.sha256 !== hash.digest("hex"))
        throw new InvalidLineError(number, "the checksum does not match");
      isWhole = true;
      continue;
    }
    hash.update(bytes).update("\n");
    if (line.type !== "header") yield { number, line };
  }
  if (!isWhole) throw new InvalidLineError(number + 1, "the end line is missing: the file is truncated");
}

function parse(number: number, bytes: Buffer): GroupFileLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new InvalidLineError(number, "not valid JSON");
  }
  const version = z.object({ format: z.literal(GROUP_FILE_FORMAT), version: z.number() }).safeParse(value);
  if (number === 1 && version.success && version.data.version !== GROUP_FILE_VERSION) {
    const reason = `version ${version.data.version} is not supported, only ${GROUP_FILE_VERSION}`;
    throw new InvalidLineError(number, reason);
  }
  const parsed = GroupFileLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidLineError(number, `${issue!.path.join(".") || "this"}: ${issue!.message}`);
}

/**
 * Yields the lines without their newlines.
 * @throws {InvalidLineError} if a line is longer than `maxBytes`, or the last one doesn't end
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, to);
      if (restBytes + line.length > maxBytes) throw new InvalidLineError(number, "the line is too long");
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      rest = [];
      restBytes = 0;
      number += 1;
      from = to + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    restBytes += chunk.length - from;
    if (restBytes > maxBytes) throw new InvalidLineError(number, "the line is too long");
  }
  if (restBytes > 0) throw new InvalidLineError(number, "the file is truncated within this line");
}

/** Control characters, removed because the reason can quote the file and terminals would interpret them. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const MAX_REASON_CHARS = 300;

/** An invalid line of a group file, with the reason. */
export class InvalidLineError extends Error {
  override readonly name = "InvalidLineError";
  readonly line: number;
  readonly reason: string;

  constructor(line: number, why: string) {
    const reason = why.slice(0, MAX_REASON_CHARS).replaceAll(CONTROLS, "\u{fffd}");
    super(`line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** The contents of a file except messages and members, which are only checked. */
export interface Survey {
  group: GroupFileLineOf<"group">;
  /** In the order of the file, as are the other maps. */
  channels: Map<string, GroupFileLineOf<"channel">>;
  roles: Map<string, GroupFileLineOf<"role">>;
  users: Map<string, GroupFileLineOf<"user">>;
}

interface GroupChecker {
  /** @throws {InvalidLineError} if the line is inconsistent with earlier lines */
  add(next: NumberedLine): void;
  /** @throws {InvalidLineError} if a referenced user or channel is missing */
  finish(): Survey;
}

/** Checks line by line that everything referenced in a file is in it. */
export function createGroupChecker(): GroupChecker {
  let group: GroupFileLineOf<"group"> | undefined;
  const channels: Survey["channels"] = new Map();
  const roles: Survey["roles"] = new Map();
  const users: Survey["users"] = new Map();
  /** By user id: the first line that refers to the user. */
  const referencedUsers = new Map<string, number>();
  let places = 0;
  let messageId = "";
  let number = 1;
  let emojis = new Set<string>();
  const check = (isTrue: boolean, reason: string): void => {
    if (!isTrue) throw new InvalidLineError(number, reason);
  };
  const add = <T extends { id: string }>(to: Map<string, T>, line: T): void => {
    check(!to.has(line.id), "duplicate id");
    to.set(line.id, line);
  };
  const reference = (id: string): void => {
    if (!referencedUsers.has(id)) referencedUsers.set(id, number);
  };
  const validators: { [T in GroupFileContent["type"]]: (line: GroupFileLineOf<T>) => void } = {
    group(line) {
      check(group === undefined, "there is more than one group");
      group = line;
      reference(line.ownerId);
    },
    role(line) {
      add(roles, line);
      check(roles.size <= LIMITS.rolesPerGroup, `more than ${LIMITS.rolesPerGroup} roles`);
    },
    channel(line) {
      add(channels, line);
      const { thread, kind, sectionId } = line;
      check((kind === "thread") === (thread !== null), "threads, and only threads, must have a parent");
      if (thread === null) places += 1;
      else reference(thread.createdBy);
      check(places <= LIMITS.channelsPerGroup, `more than ${LIMITS.channelsPerGroup} channels`);
      if (thread !== null)
        check(
          ["text", "voice"].includes(channels.get(thread.parentId)?.kind ?? ""),
          "its parent is not a text or voice channel on an earlier line",
        );
      if (sectionId !== null)
        check(channels.get(sectionId)?.kind === "section", "its section is not on an earlier line");
      for (const override of line.overrides) {
        if (override.type === "role")
          check(roles.has(override.id), "the role of an override is not on an earlier line");
        if (override.type === "member") reference(override.id);
      }
    },
    member(line) {
      check(
        line.roleIds.every((id) => roles.has(id)),
        "a role is not on an earlier line",
      );
      reference(line.userId);
    },
    message(line) {
      const channel = channels.get(line.channelId);
      check(channel !== undefined && channel.kind !== "section", "its channel is not on an earlier line");
      messageId = line.id;
      emojis = new Set();
      reference(line.authorId);
      if (line.pinned !== undefined) reference(line.pinned.by);
      if (line.threadId !== undefined)
        check(channels.get(line.threadId)?.kind === "thread", "its thread is not on an earlier line");
      for (const id of line.mentions?.userIds ?? []) reference(id);
      for (const id of line.call?.participantUserIds ?? []) reference(id);
    },
    reaction(line) {
      check(line.messageId === messageId, "it does not follow its message");
      emojis.add(line.emoji);
      check(emojis.size <= LIMITS.reactionsPerMessage, `more than ${LIMITS.reactionsPerMessage} reactions`);
      reference(line.userId);
    },
    user(line) {
      add(users, line);
    },
  };
  return {
    add(next) {
      ({ number } = next);
      check(group !== undefined || next.line.type === "group", "the group must be first");
      (validators[next.line.type] as (line: GroupFileContent) => void)(next.line);
    },
    finish() {
      if (group === undefined) throw new InvalidLineError(number, "the group is missing");
      const { defaultChannelId, systemChannelId = null } = group;
      check(defaultChannelId === null || channels.has(defaultChannelId), "the default channel is missing");
      check(systemChannelId === null || channels.has(systemChannelId), "the system channel is missing");
      for (const [id, firstLine] of referencedUsers)
        if (!users.has(id)) throw new InvalidLineError(firstLine, `user ${id} is missing from the file`);
      return { group, channels, roles, users };
    },
  };
}
