import type { Channel, User } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { hasMessages, useChannels, useOwnEmoji, useRoles } from "../data/groups.ts";
import { useCommands } from "../data/group-settings.ts";
import { useMemberSearch, useNicknames } from "../data/members.ts";
import { useUsers } from "../data/people.ts";
import { loadEmojiIndex, searchEmoji, type EmojiIndex } from "../channel/emoji/emoji-index.ts";
import { usePlugins } from "../plugins/plugins.ts";
import type { Editor } from "./use-editor.ts";
import { useOwnCommands } from "./own-commands.ts";
import { useTemplates } from "./templates.ts";
import { MAX_SUGGESTIONS, rankByName, type Suggestion, type Trigger } from "./suggestions.ts";
import { useSettled } from "../shared/hooks.ts";
import { dotted } from "../shared/formats.ts";

interface SourceProps {
  channel: Channel;
  permissions: number;
  query: string;
  onFound: (kind: Trigger["kind"], suggestions: readonly Suggestion[]) => void;
}

/** Looks up suggestions for the current query. Renders nothing. */
export function SuggestionSource({ kind, ...props }: SourceProps & { kind: Trigger["kind"] }) {
  const { groupId } = props.channel;
  switch (kind) {
    case "mention":
      return groupId === null ? <People {...props} /> : <Members {...props} groupId={groupId} />;
    case "channel":
      return groupId === null ? null : <Channels {...props} groupId={groupId} />;
    case "emoji":
      return <Emoji {...props} />;
    case "command":
      return <Commands {...props} />;
    case "template":
      return <Templates {...props} />;
  }
}

const SETTLE_MS = 150;

function Members({ groupId, permissions, query, onFound }: SourceProps & { groupId: string }) {
  const { t } = useTranslation("composer");
  const settled = useSettled(query, SETTLE_MS);
  const { found } = useMemberSearch(groupId, settled);
  const { data: roles = [] } = useRoles(groupId);
  const canAll = hasPermission(permissions, "mentionEveryone");
  const members = found.flatMap(({ user }) => (user === undefined || user.deleted === true ? [] : [user]));
  const nicknames = useNicknames(groupId);
  const namesOf = ({ id, nickname, username }: User) => [
    nicknames[id]?.nickname ?? nickname,
    nickname,
    username ?? "",
  ];
  const people = rankByName(members, query, namesOf).map((user): Suggestion => {
    const { id, nickname, username } = user;
    const { nickname: name = nickname, avatarUrl = user.avatarUrl } = nicknames[id] ?? {};
    const detail = dotted([name !== nickname && nickname, username !== null && `@${username}`]);
    return {
      key: id,
      label: name,
      ...(detail !== "" && { detail }),
      picture: { kind: "user", id, avatarUrl },
      insert: { wire: `<@${id}>`, name },
    };
  });
  const named = rankByName(
    roles.filter(({ mentionable }) => mentionable || canAll),
    query,
    ({ name }) => [name],
  ).map(({ id, name, color }): Suggestion => ({
    key: id,
    label: `@${name}`,
    detail: t("suggest.role"),
    picture: { kind: "sign", sign: "@", ...(color !== null && { color }) },
    insert: { wire: `<@&${id}>`, name },
  }));
  const all = canAll
    ? rankByName(["everyone", "here"] as const, query, (name) => [name]).map((name): Suggestion => ({
        key: name,
        label: `@${name}`,
        detail: t(`suggest.${name}`),
        picture: { kind: "sign", sign: "@" },
        insert: { text: `@${name}` },
      }))
    : [];
  useFound("mention", [...people, ...named, ...all], onFound);
  return null;
}

function People({ channel, query, onFound }: SourceProps) {
  const users = useUsers(channel.memberIds);
  const found = rankByName(users, query, ({ nickname, username }) => [nickname, username ?? ""]).map(
    ({ id, nickname, avatarUrl }): Suggestion => ({
      key: id,
      label: nickname,
      picture: { kind: "user", id, avatarUrl },
      insert: { wire: `<@${id}>`, name: nickname },
    }),
  );
  useFound("mention", found, onFound);
  return null;
}

interface NameLookupProps {
  channel: Channel;
  name: string;
  onNamed: Editor["onNamed"];
}

/** Looks up the username that was typed after an `@`. Renders nothing. */
export function NameLookup(props: NameLookupProps) {
  const { groupId } = props.channel;
  return groupId === null ? <PersonLookup {...props} /> : <MemberLookup {...props} groupId={groupId} />;
}

function MemberLookup({ groupId, name, onNamed }: NameLookupProps & { groupId: string }) {
  const settled = useSettled(name, SETTLE_MS);
  const { found, isComplete } = useMemberSearch(groupId, settled);
  const userId = found.find(({ user }) => user?.username?.toLowerCase() === name)?.member.userId;
  const isKnown = userId !== undefined || (isComplete && settled === name);
  useEffect(() => {
    if (isKnown) onNamed(name, userId ?? null);
  }, [isKnown, name, userId, onNamed]);
  return null;
}

function PersonLookup({ channel: { memberIds }, name, onNamed }: NameLookupProps) {
  const users = useUsers(memberIds);
  const userId = users.find(({ username }) => username?.toLowerCase() === name)?.id;
  const isKnown = userId !== undefined || users.length === memberIds.length;
  useEffect(() => {
    if (isKnown) onNamed(name, userId ?? null);
  }, [isKnown, name, userId, onNamed]);
  return null;
}

function Channels({ groupId, query, onFound }: SourceProps & { groupId: string }) {
  const { data: channels = [] } = useChannels(groupId);
  const texts = channels.filter(hasMessages);
  const found = rankByName(texts, query, ({ name }) => [name]).map(({ id, name, topic }): Suggestion => ({
    key: id,
    label: name,
    ...(topic !== "" && { detail: topic }),
    picture: { kind: "channel" },
    insert: { wire: `<#${id}>`, name },
  }));
  useFound("channel", found, onFound);
  return null;
}

function Emoji({ channel: { groupId }, query, onFound }: SourceProps) {
  const own = rankByName([...useOwnEmoji(groupId).values()], query, ({ name }) => [name]).map(
    ({ id, name, url }): Suggestion => ({
      key: id,
      label: `:${name}:`,
      picture: { kind: "image", url },
      insert: { text: `:${name}:` },
    }),
  );
  const { i18n } = useTranslation("composer");
  const [index, setIndex] = useState<EmojiIndex | null>(null);
  useEffect(() => {
    let isCurrent = true;
    loadEmojiIndex(i18n.language).then(
      (loaded) => isCurrent && setIndex(loaded),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [i18n.language]);
  const found = (index === null ? [] : searchEmoji(index, query, MAX_SUGGESTIONS)).map(
    ({ emoji, name, label }): Suggestion => ({
      key: emoji,
      label: `:${name}:`,
      detail: label,
      picture: { kind: "sign", sign: emoji },
      insert: { text: emoji },
    }),
  );
  useFound("emoji", [...own, ...found], onFound);
  return null;
}

function Commands({ channel, query, onFound }: SourceProps) {
  const { t } = useTranslation("composer");
  const { data: ofBots = [] } = useCommands(channel.id);
  const own = useOwnCommands(channel);
  const isOfBot = (name: string): boolean => ofBots.some((command) => command.name === name);
  const ofPlugins = usePlugins(({ commands: all }) => all);
  const commands = [
    ...ofBots.map(({ botId, name, description, options }) => ({ key: botId, name, description, options })),
    ...own
      .filter(({ name }) => !isOfBot(name))
      .map(({ name, textKey, usage: follows }) => ({
        key: "",
        name,
        description: t(textKey),
        options: follows === undefined ? [] : [{ name: t(follows.textKey), required: follows.required }],
      })),
    ...ofPlugins
      .filter(({ name }) => !isOfBot(name) && !own.some((command) => command.name === name))
      .map(({ name, description, usage: follows, action }) => ({
        key: action,
        name,
        description,
        options: follows === "" ? [] : [{ name: follows, required: true }],
      })),
  ];
  const found = rankByName(commands, query, ({ name }) => [name]).map(
    ({ key, name, description, options }): Suggestion => ({
      key: `${key} ${name}`,
      label: `/${name}${usage(options)}`,
      detail: description,
      picture: { kind: "sign", sign: "/" },
      insert: { text: `/${name}` },
    }),
  );
  useFound("command", found, onFound);
  return null;
}

function Templates({ query, onFound }: SourceProps) {
  const { templates } = useTemplates();
  const found = rankByName(templates, query, ({ name }) => [name]).map(({ name, text }): Suggestion => ({
    key: name,
    label: name,
    detail: text,
    picture: { kind: "sign", sign: "/" },
    insert: { text },
  }));
  useFound("template", found, onFound);
  return null;
}

function usage(options: readonly { name: string; required: boolean }[]): string {
  return options.map(({ name, required }) => (required ? ` <${name}>` : ` [${name}]`)).join("");
}

/** Reports results when they have changed. */
function useFound(
  kind: Trigger["kind"],
  found: readonly Suggestion[],
  onFound: SourceProps["onFound"],
): void {
  const shown = found.slice(0, MAX_SUGGESTIONS);
  const identity = JSON.stringify(shown);
  useEffect(() => {
    onFound(kind, JSON.parse(identity) as Suggestion[]);
  }, [kind, identity, onFound]);
}
