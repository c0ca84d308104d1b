import type { User } from "@fanfare/contract";
import { dayBefore, dayWord } from "./days.ts";
import type { Filter } from "./query.ts";
import { type Directory, personWord, TRAITS, type TraitWord } from "./resolve.ts";

const MAX_SHOWN = 8;
const DAYS = [
  { id: "today", ago: 0 },
  { id: "yesterday", ago: 1 },
  { id: "week", ago: 7 },
  { id: "month", ago: 30 },
  { id: "year", ago: 365 },
] as const;

/** What a filter that is being typed could be. */
export type Suggestion = { key: string; /** What it makes of the filter. */ word: string } & (
  | { kind: "person"; user: User }
  | { kind: "channel"; name: string }
  | { kind: "trait"; trait: TraitWord }
  | { kind: "day"; day: (typeof DAYS)[number]["id"] }
);

export function suggest(filter: Filter | null, directory: Directory): Suggestion[] {
  if (filter === null) return [];
  const { people, channels, nowMs } = directory;
  const wanted = filter.value.replace(/^[@#]/, "").toLowerCase();
  const fits = (...names: (string | null)[]): boolean =>
    names.some((name) => name?.toLowerCase().includes(wanted));
  switch (filter.name) {
    case "from":
    case "mentions":
      return people
        .filter(({ nickname, username, deleted }) => deleted !== true && fits(nickname, username))
        .slice(0, MAX_SHOWN)
        .map((user) => ({ kind: "person", key: user.id, word: personWord(user, people), user }));
    case "in":
      return channels
        .filter(({ name }) => fits(name))
        .slice(0, MAX_SHOWN)
        .map(({ id, name }) => ({ kind: "channel", key: id, word: name, name }));
    case "has":
      return (Object.keys(TRAITS) as TraitWord[])
        .filter((trait) => fits(trait))
        .map((trait) => ({ kind: "trait", key: trait, word: trait, trait }));
    case "before":
    case "after":
      return DAYS.map(({ id, ago }) => ({
        kind: "day" as const,
        key: id,
        word: dayWord(dayBefore(nowMs, ago)),
        day: id,
      })).filter(({ word }) => fits(word));
  }
}
