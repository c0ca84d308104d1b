import type { Nickname, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { Search } from "../data/search.ts";
import { parseDay } from "../shared/times.ts";

export const FILTERS = ["from", "in", "has", "mentions", "before", "after"] as const;
export type FilterName = (typeof FILTERS)[number];

export interface Filter {
  name: FilterName;
  /** Without quotes; empty if nothing has been typed yet. */
  value: string;
  /** Its position in the text. */
  start: number;
  end: number;
}

interface Query {
  /** The text without filters. */
  words: string;
  filters: readonly Filter[];
}

/** `from:ada`, `in:"big plans"`, at the start of a word. Chinese keyboards type a full-width colon. */
const FILTER = /(?<=^|\s)(from|in|has|mentions|before|after)[:：](?:"([^"]*)"?|(\S*))/gi;

export function parseQuery(text: string): Query {
  const filters = [...text.matchAll(FILTER)].map((match): Filter => {
    const [whole, name = "", quoted, plain = ""] = match;
    return {
      name: name.toLowerCase() as FilterName,
      value: (quoted ?? plain).trim(),
      start: match.index,
      end: match.index + whole.length,
    };
  });
  return { words: text.replace(FILTER, " ").replace(/\s+/g, " ").trim(), filters };
}

/** The filter at the caret. */
export function filterAt({ filters }: Query, caret: number): Filter | null {
  return filters.find(({ name, start, end }) => caret > start + name.length && caret <= end) ?? null;
}

/** Replaces a filter, or appends one. */
export function withFilter(text: string, name: FilterName, value: string, former?: Filter): string {
  const formatted = `${name}:${/\s/.test(value) ? `"${value}"` : value}`;
  if (former === undefined) return `${text.trimEnd()} ${formatted}`.trimStart();
  return `${text.slice(0, former.start)}${formatted} ${text.slice(former.end).trimStart()}`;
}

export function withoutFilter(text: string, { start, end }: Filter): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}

export interface NamedChannel {
  id: string;
  name: string;
  /** The group's name, if channels of several groups are searched. */
  group?: string;
}

/** The names that filters can refer to. */
export interface Directory {
  ownId: string;
  people: readonly User[];
  /** In the searched group, by user. */
  nicknames: Readonly<Record<string, Nickname>>;
  channels: readonly NamedChannel[];
  /** Where to search. */
  scope: { groupId: string } | { channelId: string } | { everywhere: true };
  nowMs: number;
}

/** The words for the server's traits. */
export const TRAITS = {
  link: "link",
  file: "attachment",
  image: "image",
  media: "media",
  document: "document",
  preview: "embed",
  pin: "pin",
} as const;
export type TraitWord = keyof typeof TRAITS;

/** Why a filter couldn't be resolved; `inMany`: channels of several groups have this name. */
type Fault = "person" | "in" | "inMany" | "has" | "date";

interface Resolved {
  search: Search;
  unknown: readonly (Filter & { fault: Fault })[];
}

/** Converts the query into a search for the server. A filter without a value is ignored. */
export function resolveQuery({ words, filters }: Query, directory: Directory): Resolved {
  const search: Search = { ...directory.scope };
  if (words !== "") search.text = words.slice(0, LIMITS.searchTextMaxChars);
  const unknown: (Filter & { fault: Fault })[] = [];
  for (const filter of filters) {
    const fault = filter.value === "" ? null : apply(search, filter, directory);
    if (fault !== null) unknown.push({ ...filter, fault });
  }
  return { search, unknown };
}

/** @returns null on success */
function apply(search: Search, { name, value }: Filter, directory: Directory): Fault | null {
  switch (name) {
    case "from":
    case "mentions": {
      const id = personId(value, directory);
      if (id !== undefined) search[name] = id;
      return id === undefined ? "person" : null;
    }
    case "in": {
      const meant = channelsNamed(value, directory.channels);
      const [channel] = meant;
      if (channel === undefined) return name;
      if (new Set(meant.map(({ group }) => group)).size > 1) return "inMany";
      delete search.groupId;
      delete search.everywhere;
      search.channelId = channel.id;
      return null;
    }
    case "has": {
      const word = value.toLowerCase();
      if (!isTraitWord(word)) return name;
      search.has = [...new Set([...(search.has ?? []), TRAITS[word]])];
      return null;
    }
    case "before":
    case "after": {
      const day = parseDay(value, directory.nowMs);
      if (day !== null) search[name] = day.toISOString();
      return day === null ? "date" : null;
    }
  }
}

export function isTraitWord(word: string): word is TraitWord {
  return Object.hasOwn(TRAITS, word);
}

/** By ID, username or name, in the group first; `me` is the current user. */
function personId(value: string, { ownId, people, nicknames }: Directory): string | undefined {
  const wanted = value.replace(/^@/, "").toLowerCase();
  if (wanted === "me") return ownId;
  const isMeant = [
    ({ id }: User) => id === wanted,
    ({ username }: User) => username?.toLowerCase() === wanted,
    ({ id }: User) => nicknames[id]?.nickname?.toLowerCase() === wanted,
    ({ nickname }: User) => nickname.toLowerCase() === wanted,
  ];
  for (const meant of isMeant) {
    const found = people.find(meant);
    if (found !== undefined) return found.id;
  }
  return undefined;
}

/** The shortest unambiguous word for a user. */
export function personFilterValue(
  { id, username, nickname }: User,
  { people, nicknames }: Pick<Directory, "people" | "nicknames">,
): string {
  if (username !== null) return username;
  const shown = nicknames[id]?.nickname ?? nickname;
  const name = shown.toLowerCase();
  const isTaken = people.some(
    (other) =>
      other.id !== id &&
      [other.nickname, other.username, nicknames[other.id]?.nickname].some(
        (one) => one?.toLowerCase() === name,
      ),
  );
  return isTaken || name === "me" || shown.includes('"') ? id : shown;
}

const fullName = ({ name, group }: NamedChannel): string => (group === undefined ? name : `${group}/${name}`);

/** By ID, name, or group and name. */
function channelsNamed(value: string, channels: readonly NamedChannel[]): NamedChannel[] {
  const wanted = value.replace(/^#/, "").toLowerCase();
  const isMeant = [
    ({ id }: NamedChannel) => id === wanted,
    ({ name }: NamedChannel) => name.toLowerCase() === wanted,
    (channel: NamedChannel) => fullName(channel).toLowerCase() === wanted,
  ];
  return isMeant.map((meant) => channels.filter(meant)).find(({ length }) => length > 0) ?? [];
}

/** The shortest unambiguous word for a channel. */
export function channelFilterValue(channel: NamedChannel, channels: readonly NamedChannel[]): string {
  const isClear = (word: string): boolean => {
    const [first, ...others] = channelsNamed(word, channels);
    return first?.id === channel.id && others.length === 0 && !word.includes('"');
  };
  return [channel.name, fullName(channel)].find(isClear) ?? channel.id;
}
