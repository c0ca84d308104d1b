export interface Match {
  /** Higher is better. */
  score: number;
  /** Which characters of the text were meant, in order. */
  at: readonly number[];
}

const SCORES = { whole: 120, start: 100, wordStart: 80, inside: 60, spread: 40 };
/** What characters between those that were meant take away, each. */
const GAP = 2;

/**
 * How well a text fits what somebody typed; null where it does not. Each word that was typed must be in the text: as it is, or with
 * other characters between its own ("rktlb" finds "rocket-lab").
 */
export function fuzzyMatch(query: string, text: string): Match | null {
  const matches = query
    .trim()
    .split(/\s+/)
    .map((word) => matchWord(Array.from(word.toLowerCase()), Array.from(text, lower)));
  if (matches.some((match) => match === null)) return null;
  const found = matches as Match[];
  return {
    // Of two that fit as well the shorter one is meant.
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
  if (best === undefined) return spreadMatch(word, text);
  const at = word.map((_, offset) => best + offset);
  if (best === 0) return { score: word.length === text.length ? SCORES.whole : SCORES.start, at };
  return { score: isWordStart(text, best) ? SCORES.wordStart : SCORES.inside, at };
}

function isAt(word: readonly string[], text: readonly string[], start: number): boolean {
  return word.every((char, offset) => text[start + offset] === char);
}

/** The characters in their order, with others between them; the first one at the beginning of a word. */
function spreadMatch(word: readonly string[], text: readonly string[]): Match | null {
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
