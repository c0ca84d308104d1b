import type { Destination } from "./destination.ts";
import { fuzzyMatch } from "./fuzzy.ts";

/** More is not read through; who does not see it types on. */
const MAX_SHOWN = 30;
/** What was found by its group or username comes after what has the name. */
const DETAIL_COSTS = 30;
const RECENT_ADDS = 15;
const UNREAD_ADDS = 5;

export interface Ranked {
  destination: Destination;
  /** Which characters of the title were meant. */
  at: readonly number[];
}

/** What to offer: without a text what is unread, then where one was last; else what fits best. */
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
        (inTitle === null ? DETAIL_COSTS : 0) +
        (recency > 0 ? RECENT_ADDS : 0) +
        (unread.messages > 0 ? UNREAD_ADDS : 0);
      const { length } = Array.from(title);
      return [{ destination, score, at: inAll.at.filter((index) => index < length) }];
    })
    .toSorted((a, b) => b.score - a.score || b.destination.recency - a.destination.recency)
    .slice(0, MAX_SHOWN)
    .map(({ destination, at }) => ({ destination, at }));
}

/** Mentions before messages, both before what is read. */
export function urgency({ unread: { messages, mentions } }: Pick<Destination, "unread">): number {
  return mentions > 0 ? 2 : messages > 0 ? 1 : 0;
}
