type Compare = (a: string, b: string) => number;

/** Blocks whose characters are pivots. Hangul syllables consist of letters that are pivots; other characters share keys. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x33ff],
  [0x4e00, 0xabff],
  [0x1f300, 0x1faff],
];

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S} ]/u;

/** Limits the length of a key and the time to compute it. */
const MAX_STEPS = 64;

interface Pivots {
  /** Characters in ascending order. */
  readonly characters: readonly string[];
  /** Positions of the ASCII characters, which are tried first. */
  readonly ascii: readonly number[];
}

function pivotsOf(compare: Compare, letters: Compare): Pivots {
  const candidates: string[] = [];
  for (const [first, last] of BLOCKS) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      if (VISIBLE.test(character)) candidates.push(character);
    }
  }
  const characters: string[] = [];
  // Lowercase first, so that the spelling of most texts equals the text.
  const last = candidates.sort((a, b) => letters(a, b) || compare(a, b)).at(-1)!;
  let covered = "";
  for (const character of candidates) {
    // Ligatures and the like sort between strings that start with another pivot.
    if (letters(character, covered) <= 0) continue;
    characters.push(character);
    covered = character + last;
  }
  return { characters, ascii: [...characters.keys()].filter((i) => characters[i]! < "\x80") };
}

/**
 * Computes index keys of strings. Equal strings have equal keys, because a key depends only on comparisons of the string with others.
 * Different strings can have the same key, such as strings that differ only in accents or case. The keys are not ordered.
 * @param letters compares letters only
 */
export function collationKeys(compare: Compare, letters: Compare): (text: string) => string {
  let pivots: Pivots | undefined;
  return (text) => collationKey(text, (pivots ??= pivotsOf(compare, letters)), compare);
}

/** Approximates the text: each character is the greatest one with which the spelling doesn't sort after the text. */
function collationKey(text: string, { characters, ascii }: Pivots, compare: Compare): string {
  let spelled = "";
  let key = "";
  for (let step = 0; step < MAX_STEPS && compare(spelled, text) !== 0; step++) {
    const fits = (i: number) => compare(spelled + characters[i]!, text) <= 0;
    const near = lastThat(-1, ascii.length, (i) => fits(ascii[i]!));
    const after = ascii[near + 1] ?? characters.length;
    const position = near < 0 ? -1 : ascii[near]!;
    const found = position + 1 < after && fits(position + 1) ? lastThat(position + 1, after, fits) : position;
    if (found < 0) break;
    key += String.fromCharCode(1 + Math.floor(found / 255), 1 + (found % 255));
    // The text continues with a character that isn't a pivot.
    if (found === characters.length - 1) break;
    spelled += characters[found]!;
  }
  return `${key}\0`;
}

/** Binary search for the last position below `end` that passes, if all up to it pass; `start` counts as passed. */
function lastThat(start: number, end: number, passes: (position: number) => boolean): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}
