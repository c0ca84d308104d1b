import type { Trigger } from "./trigger.ts";

/** Something to put in place of what is being written. */
export interface Suggestion {
  readonly key: string;
  readonly label: string;
  readonly detail?: string;
  readonly picture:
    | { kind: "user"; id: string; avatarUrl: string | null }
    | { kind: "sign"; sign: string; color?: number }
    | { kind: "channel" };
  /** The text, or the token that a name is written for. */
  readonly insert: { text: string } | { wire: string; name: string };
}

export const MAX_SUGGESTIONS = 8;

/** The ones that fit a query best: names that begin so, then those of which a word does, then the others that have it in them. */
export function rankByName<T>(items: readonly T[], query: string, namesOf: (item: T) => string[]): T[] {
  const wanted = query.toLowerCase();
  const ranked = items.flatMap((item, order) => {
    const rank = Math.min(...namesOf(item).map((name) => rankOf(name.toLowerCase(), wanted)));
    return rank < NO_MATCH ? [{ item, rank, order }] : [];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.order - b.order);
  return ranked.slice(0, MAX_SUGGESTIONS).map(({ item }) => item);
}

const NO_MATCH = 4;

function rankOf(name: string, wanted: string): number {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  const at = name.indexOf(wanted);
  if (at < 0) return NO_MATCH;
  return /[\s_-]/.test(name[at - 1]!) ? 2 : 3;
}

/** What the field says in place of what triggered it, with a space to write on. */
export function replacement(
  text: string,
  caret: number,
  trigger: Trigger,
  insert: string,
): { from: number; to: number; insert: string; selectFrom: number; selectTo: number } {
  const spaced = text[caret] === " " ? insert : `${insert} `;
  const at = trigger.start + insert.length + 1;
  return { from: trigger.start, to: caret, insert: spaced, selectFrom: at, selectTo: at };
}
