import type { ChannelState, User, Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { hasMessages, useChannelsOfGroups, useGroups } from "../../data/groups.ts";
import { useContacts, useDirects, useFriends } from "../../data/people.ts";
import { useMe } from "../../data/me.ts";
import { useUserSearch } from "../../data/search.ts";
import {
  channelPath,
  directoryPath,
  directPath,
  groupChannelsPath,
  groupPath,
  inboxPath,
  settingsPath,
} from "../../routes.ts";
import { useUnmutedUnread } from "../../inbox/notifications/unmuted-unread.ts";
import { useHasDirectory } from "../../session/server-meta.ts";
import { usePlace } from "../../app/shortcuts/use-place.ts";
import { useRecentPlaces } from "./recent-places.ts";

/** For users with more groups, only the groups themselves are offered. */
const MAX_GROUPS = 100;
const NOTHING = { messages: 0, mentions: 0 };

/** All destinations, and accounts whose name starts with the query. */
export function useDestinations(query: string): Destination[] {
  const { t } = useTranslation("quick-switcher");
  const me = useMe();
  const { data: groups = [] } = useGroups();
  const { data: directs = [] } = useDirects();
  const { data: friends = [] } = useFriends();
  const { data: accounts = [] } = useUserSearch(query);
  const hasDirectory = useHasDirectory();
  const unread = useUnmutedUnread();
  // The current place isn't offered.
  const place = usePlace();
  const currentId = place?.channelId;
  const recent = useRecentPlaces(me.id).filter((id) => id !== currentId);
  const lists = useChannelsOfGroups(groups.slice(0, MAX_GROUPS).map(({ id }) => id));
  const users = new Map(useContacts().map((user) => [user.id, user]));

  const state = (channelId: string) => ({
    unread: unread.get(channelId) ?? NOTHING,
    recency: recent.includes(channelId) ? recent.length - recent.indexOf(channelId) : 0,
  });
  const nameOf = (user: User | undefined): string =>
    user === undefined ? "…" : user.deleted === true ? t("members:deleted") : user.nickname;
  const directTitle = ({ kind, name, memberIds }: ChannelState): string => {
    const others = memberIds.filter((id) => id !== me.id);
    if (name !== "") return name;
    if (others.length === 0) return t(kind === "direct" ? "directs:notes" : "directs:onlyYou");
    return others.map((id) => nameOf(users.get(id))).join(t("directs:comma"));
  };

  const recentContacts = new Set(
    directs.flatMap(({ kind, memberIds }) => (kind === "direct" ? memberIds : [])),
  );
  const otherAccounts = new Map([
    ...friends.flatMap(({ userId }) => users.get(userId) ?? []).map((user) => [user.id, user] as const),
    ...accounts.map((user) => [user.id, user] as const),
  ]);
  const pages = [
    { page: "inbox", title: t("inbox:title"), detail: "", path: inboxPath() },
    { page: "friends", title: t("friends:title"), detail: "", path: directPath() },
    { page: "settings", title: t("common:settings"), detail: "", path: settingsPath() },
    ...(hasDirectory
      ? [
          {
            page: "directory" as const,
            title: t("groups:directory.title"),
            detail: "",
            path: directoryPath(),
          },
        ]
      : []),
    ...groups
      .filter(({ id }) => id === place?.groupId)
      .map(({ id, name }) => ({
        page: "channels" as const,
        title: t("channels:browse.title"),
        detail: name,
        path: groupChannelsPath(id),
      })),
  ] as const;
  const nowhere = { unread: NOTHING, recency: 0 };
  return [
    ...directs.map((channel): Destination => ({
      kind: "direct",
      key: channel.id,
      title: directTitle(channel),
      detail: channel.memberIds
        .flatMap((id) => (id === me.id ? [] : (users.get(id)?.username ?? [])))
        .join(" "),
      channel,
      path: directPath(channel.id),
      ...state(channel.id),
    })),
    ...groups.flatMap(({ id: groupId, name }, index) =>
      (lists[index] ?? []).filter(hasMessages).map((channel): Destination => ({
        kind: "channel",
        key: channel.id,
        title: channel.name,
        detail: name,
        groupId,
        path: channelPath(groupId, channel.id),
        ...state(channel.id),
      })),
    ),
    ...groups.map((group): Destination => ({
      kind: "group",
      key: group.id,
      title: group.name,
      detail: "",
      group,
      path: groupPath(group.id),
      ...nowhere,
    })),
    ...[...otherAccounts.values()]
      .filter(({ id, kind }) => id !== me.id && kind === "member" && !recentContacts.has(id))
      .map((user): Destination => ({
        kind: "person",
        key: user.id,
        title: nameOf(user),
        detail: user.username ?? "",
        userId: user.id,
        avatarUrl: user.avatarUrl,
        ...nowhere,
      })),
    ...pages.map((page): Destination => ({
      kind: "page",
      key: page.page,
      ...page,
      ...nowhere,
    })),
  ];
}

export type Destination = {
  key: string;
  title: string;
  /** Also searched: a channel's group, or a username. */
  detail: string;
  /** Unread messages that count for notifications. */
  unread: { messages: number; mentions: number };
  /** Higher for more recent visits; 0 if not recently visited. */
  recency: number;
} & (
  | { kind: "group"; group: Group; path: string }
  | { kind: "channel"; groupId: string; path: string }
  | { kind: "direct"; channel: ChannelState; path: string }
  | { kind: "page"; page: "inbox" | "friends" | "settings" | "channels" | "directory"; path: string }
  | { kind: "person"; userId: string; avatarUrl: string | null }
);

/** A place to write to. */
export type Conversation = Extract<Destination, { kind: "channel" | "direct" | "person" }>;

export function isConversation(destination: Destination): destination is Conversation {
  return destination.kind !== "group" && destination.kind !== "page";
}
