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
    { page: "directory", title: t("groups:directory.title"), detail: "", path: directoryPath() },
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
    ...pages
      .filter(({ page }) => hasDirectory || page !== "directory")
      .map((page): Destination => ({ kind: "page", key: page.page, ...page, ...nowhere })),
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

/** A longer list isn't read; typing on is faster. */
export const MAX_SHOWN = 30;
/** Ranks matches in the group or username below matches in the name. */
const DETAIL_PENALTY = 30;
const RECENT_BONUS = 15;
const UNREAD_BONUS = 5;

export interface Ranked {
  destination: Destination;
  /** The matched characters of the title. */
  at: readonly number[];
}

/** Without a query: unread places, then recent ones. */
export function rank(destinations: readonly Destination[], query: string): Ranked[] {
  if (query.trim() === "") {
    return destinations
      .filter(({ unread, recency }) => unread.messages > 0 || recency > 0)
      .toSorted((a, b) => urgency(b) - urgency(a) || b.recency - a.recency)
      .slice(0, MAX_SHOWN)
      .map((destination) => ({ destination, at: [] }));
  }
  return destinations
    .flatMap((destination) => {
      const { title, detail, recency, unread } = destination;
      const inTitle = fuzzyMatch(query, title);
      const inAll = inTitle ?? fuzzyMatch(query, `${title} ${detail}`);
      if (inAll === null) return [];
      const score =
        inAll.score -
        (inTitle === null ? DETAIL_PENALTY : 0) +
        (recency > 0 ? RECENT_BONUS : 0) +
        (unread.messages > 0 ? UNREAD_BONUS : 0);
      const { length } = Array.from(title);
      return [{ destination, score, at: inAll.at.filter((index) => index < length) }];
    })
    .toSorted((a, b) => b.score - a.score || b.destination.recency - a.destination.recency)
    .slice(0, MAX_SHOWN)
    .map(({ destination, at }) => ({ destination, at }));
}

/** Mentions first, then unread messages. */
export function urgency({ unread: { messages, mentions } }: Pick<Destination, "unread">): number {
  return mentions > 0 ? 2 : messages > 0 ? 1 : 0;
}

interface Match {
  /** Higher is better. */
  score: number;
  /** The matched characters of the text, in order. */
  at: readonly number[];
}

const SCORES = { whole: 120, start: 100, wordStart: 80, inside: 60, spread: 40 };
/** Penalty per skipped character. */
const GAP = 2;

/**
 * Scores a text; null if it doesn't match. Each word of the query must appear in the text, either as it is or with other characters in
 * between ("rktlb" finds "rocket-lab").
 */
export function fuzzyMatch(query: string, text: string): Match | null {
  const matches = query
    .trim()
    .split(/\s+/)
    .map((word) => matchWord(Array.from(word.toLowerCase()), Array.from(text, lower)));
  if (matches.some((match) => match === null)) return null;
  const found = matches as Match[];
  return {
    // Prefers the shorter of two equal matches.
    score: Math.min(...found.map(({ score }) => score)) - text.length / 100,
    at: [...new Set(found.flatMap(({ at }) => at))].toSorted((a, b) => a - b),
  };
}

const lower = (char: string): string => char.toLowerCase();
const isWordStart = (text: readonly string[], index: number): boolean =>
  index === 0 || /[\s\-_./#]/.test(text[index - 1]!);

function matchWord(word: readonly string[], text: readonly string[]): Match | null {
  if (word.length === 0) return { score: 0, at: [] };
  const starts = text.flatMap((_, index) => (isAt(word, text, index) ? [index] : []));
  const best = starts.find((index) => isWordStart(text, index)) ?? starts[0];
  if (best === undefined) return scatteredMatch(word, text);
  const at = word.map((_, offset) => best + offset);
  if (best === 0) return { score: word.length === text.length ? SCORES.whole : SCORES.start, at };
  return { score: isWordStart(text, best) ? SCORES.wordStart : SCORES.inside, at };
}

function isAt(word: readonly string[], text: readonly string[], start: number): boolean {
  return word.every((char, offset) => text[start + offset] === char);
}

/** Matches characters in order with gaps; the first one must start a word. */
function scatteredMatch(word: readonly string[], text: readonly string[]): Match | null {
  const tries = text.flatMap((char, start) => {
    if (char !== word[0] || !isWordStart(text, start)) return [];
    const at = [start];
    for (const wanted of word.slice(1)) {
      const next = text.indexOf(wanted, at.at(-1)! + 1);
      if (next < 0) return [];
      at.push(next);
    }
    const gaps = at.at(-1)! - start + 1 - word.length;
    return [{ score: Math.max(1, SCORES.spread - gaps * GAP), at }];
  });
  return tries.toSorted((a, b) => b.score - a.score)[0] ?? null;
}
