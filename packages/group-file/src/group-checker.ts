import { LIMITS, type GroupFileContent, type GroupFileLineOf } from "@fanfare/contract";
import { InvalidLineError, type NumberedLine } from "./read-group-file.ts";

/** The contents of a file except messages and members, which are only checked. */
export interface Survey {
  group: GroupFileLineOf<"group">;
  /** In the order of the file, as are the other maps. */
  channels: Map<string, GroupFileLineOf<"channel">>;
  roles: Map<string, GroupFileLineOf<"role">>;
  users: Map<string, GroupFileLineOf<"user">>;
}

export interface GroupChecker {
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
