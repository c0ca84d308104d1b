import { LIMITS, type GroupFileContent, type GroupFileLineOf } from "@fanfare/contract";
import { FaultyLine } from "./faulty-line.ts";
import type { NumberedLine } from "./read-group-file.ts";

/** The contents of a file except messages and members, which are only checked. */
export interface Survey {
  group: GroupFileLineOf<"group">;
  /** What comes first is first. */
  channels: Map<string, GroupFileLineOf<"channel">>;
  roles: Map<string, GroupFileLineOf<"role">>;
  users: Map<string, GroupFileLineOf<"user">>;
}

export interface GroupChecker {
  /** @throws {FaultyLine} when the line does not fit to those before it */
  add(next: NumberedLine): void;
  /** @throws {FaultyLine} when something that was referred to has not come */
  finish(): Survey;
}

/** Checks, line by line, that everything referenced in a file is in it. */
export function createGroupChecker(): GroupChecker {
  let group: GroupFileLineOf<"group"> | undefined;
  const channels: Survey["channels"] = new Map();
  const roles: Survey["roles"] = new Map();
  const users: Survey["users"] = new Map();
  /** By id the first line that names them. */
  const namedUsers = new Map<string, number>();
  let places = 0;
  let messageId = "";
  let number = 1;
  let emojis = new Set<string>();
  const need = (isTrue: boolean, reason: string): void => {
    if (!isTrue) throw new FaultyLine(number, reason);
  };
  const add = <T extends { id: string }>(to: Map<string, T>, line: T): void => {
    need(!to.has(line.id), "this id was there already");
    to.set(line.id, line);
  };
  const name = (id: string): void => {
    if (!namedUsers.has(id)) namedUsers.set(id, number);
  };
  const fits: { [T in GroupFileContent["type"]]: (line: GroupFileLineOf<T>) => void } = {
    group(line) {
      need(group === undefined, "there is a group already");
      group = line;
      name(line.ownerId);
    },
    role(line) {
      add(roles, line);
      need(roles.size <= LIMITS.rolesPerGroup, `there are more than ${LIMITS.rolesPerGroup} roles`);
    },
    channel(line) {
      add(channels, line);
      const { thread, kind, sectionId } = line;
      need((kind === "thread") === (thread !== null), "a thread has a parent, and nothing else has one");
      if (thread === null) places += 1;
      else name(thread.createdBy);
      need(places <= LIMITS.channelsPerGroup, `there are more than ${LIMITS.channelsPerGroup} channels`);
      if (thread !== null)
        need(channels.get(thread.parentId)?.kind === "text", "its parent is no channel above");
      if (sectionId !== null) need(channels.get(sectionId)?.kind === "section", "its section is not above");
      for (const override of line.overrides) {
        if (override.type === "role")
          need(roles.has(override.id), "an override is of a role that is not above");
        if (override.type === "member") name(override.id);
      }
    },
    member(line) {
      need(
        line.roleIds.every((id) => roles.has(id)),
        "it has a role that is not above",
      );
      name(line.userId);
    },
    message(line) {
      const channel = channels.get(line.channelId);
      need(channel !== undefined && channel.kind !== "section", "its channel is not above");
      messageId = line.id;
      emojis = new Set();
      name(line.authorId);
      if (line.pinned !== undefined) name(line.pinned.by);
      if (line.threadId !== undefined)
        need(channels.get(line.threadId)?.kind === "thread", "its thread is not above");
      for (const id of line.mentions?.userIds ?? []) name(id);
    },
    reaction(line) {
      need(line.messageId === messageId, "it is not below its message");
      emojis.add(line.emoji);
      need(
        emojis.size <= LIMITS.reactionsPerMessage,
        `there are more than ${LIMITS.reactionsPerMessage} reactions`,
      );
      name(line.userId);
    },
    user(line) {
      add(users, line);
    },
  };
  return {
    add(next) {
      ({ number } = next);
      need(group !== undefined || next.line.type === "group", "the group has to come first");
      (fits[next.line.type] as (line: GroupFileContent) => void)(next.line);
    },
    finish() {
      if (group === undefined) throw new FaultyLine(number, "there is no group in it");
      const { defaultChannelId } = group;
      need(
        defaultChannelId === null || channels.has(defaultChannelId),
        "the channel for newcomers is missing",
      );
      for (const [id, namedIn] of namedUsers)
        if (!users.has(id)) throw new FaultyLine(namedIn, `the user ${id} is not in the file`);
      return { group, channels, roles, users };
    },
  };
}
