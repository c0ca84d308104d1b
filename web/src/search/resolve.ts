import type { User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { Search } from "../data/search.ts";
import { parseDay } from "./days.ts";
import type { Filter, Query } from "./query.ts";

/** What names in a search can mean here. */
export interface Directory {
  ownId: string;
  people: readonly User[];
  channels: readonly { id: string; name: string }[];
  /** Where is searched: all of a group, or a channel. */
  scope: { groupId: string } | { channelId: string };
  nowMs: number;
}

/** What is typed for what the server calls a trait. */
export const TRAITS = { link: "link", file: "attachment", preview: "embed", pin: "pin" } as const;
export type TraitWord = keyof typeof TRAITS;

export interface Resolved {
  search: Search;
  /** Those that mean nothing here. */
  unknown: readonly Filter[];
}

/** What the server is to be asked for. A filter that is still being typed counts for nothing. */
export function resolveQuery({ words, filters }: Query, directory: Directory): Resolved {
  const search: Search = { ...directory.scope };
  if (words !== "") search.text = words.slice(0, LIMITS.searchTextMaxChars);
  const unknown: Filter[] = [];
  for (const filter of filters) {
    if (filter.value !== "" && !apply(search, filter, directory)) unknown.push(filter);
  }
  return { search, unknown };
}

function apply(search: Search, { name, value }: Filter, directory: Directory): boolean {
  switch (name) {
    case "from":
    case "mentions": {
      const id = personId(value, directory);
      if (id !== undefined) search[name] = id;
      return id !== undefined;
    }
    case "in": {
      const wanted = value.replace(/^#/, "").toLowerCase();
      const channel = directory.channels.find((one) => one.name.toLowerCase() === wanted);
      if (channel === undefined) return false;
      delete search.groupId;
      search.channelId = channel.id;
      return true;
    }
    case "has": {
      const word = value.toLowerCase();
      if (!isTraitWord(word)) return false;
      search.has = [...new Set([...(search.has ?? []), TRAITS[word]])];
      return true;
    }
    case "before":
    case "after": {
      const day = parseDay(value, directory.nowMs);
      if (day !== null) search[name] = day.toISOString();
      return day !== null;
    }
  }
}

export function isTraitWord(word: string): word is TraitWord {
  return Object.hasOwn(TRAITS, word);
}

/** An id, a username, or a name; `me` is oneself. */
function personId(value: string, { ownId, people }: Directory): string | undefined {
  const wanted = value.replace(/^@/, "").toLowerCase();
  if (wanted === "me") return ownId;
  const isMeant = [
    ({ id }: User) => id === wanted,
    ({ username }: User) => username?.toLowerCase() === wanted,
    ({ nickname }: User) => nickname.toLowerCase() === wanted,
  ];
  for (const meant of isMeant) {
    const found = people.find(meant);
    if (found !== undefined) return found.id;
  }
  return undefined;
}

/** What to type for somebody so that nobody else is meant. */
export function personWord({ id, username, nickname }: User, people: readonly User[]): string {
  if (username !== null) return username;
  const name = nickname.toLowerCase();
  const isTaken = people.some(
    (other) =>
      other.id !== id && (other.nickname.toLowerCase() === name || other.username?.toLowerCase() === name),
  );
  return isTaken || name === "me" || nickname.includes('"') ? id : nickname;
}
