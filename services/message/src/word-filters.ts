/** The position of a word in a text, in UTF-16 code units. */
export interface Hit {
  from: number;
  to: number;
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Scripts without spaces between words, where a word also matches inside others. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PART_OF_WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Normalizes a character for comparison: ignores compatibility forms, case and invisible characters. */
function fold(grapheme: string): string {
  if (/^\s+$/.test(grapheme)) return " ";
  return grapheme.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replaceAll(INVISIBLE, "");
}

interface Folded {
  text: string;
  /** The original position of each code unit of `text`, and of its end. */
  origins: Hit[];
  starts: (number | undefined)[];
}

function foldText(text: string): Folded {
  let folded = "";
  const origins: Hit[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const piece = fold(segment);
    // Any sequence of spaces and line breaks is one space.
    if (piece === " " && folded.endsWith(" ")) continue;
    folded += piece;
    for (let n = 0; n < piece.length; n++) origins.push({ from: index, to: index + segment.length });
  }
  return { text: folded, origins, starts: startsIn(folded) };
}

/**
 * Compiles a matcher for words and phrases. A word matches when no letter, digit or mark is next to it; in scripts without spaces
 * it matches anywhere. The time is linear in the number of words, and no user-supplied regular expression is run.
 */
export function compileWords(words: readonly string[]): (text: string) => Hit[] {
  const wanted = [...new Set(words.map((word) => foldText(word).text.trim()))].filter((word) => word !== "");
  return (text) => {
    const folded = foldText(text);
    return wanted.flatMap((word) => [...hitsOf(word, folded)]);
  };
}

function* hitsOf(word: string, { text, origins, starts }: Folded): Generator<Hit> {
  const opensInside = matchesInside(firstOf(word));
  const endsInside = matchesInside(lastOf(word));
  let at = text.indexOf(word);
  while (at !== -1) {
    const end = at + word.length;
    const opens = opensInside || starts[at] === at;
    const ends = endsInside || end === text.length || !PART_OF_WORD.test(firstOf(text.slice(end, end + 2)));
    if (opens && ends) yield { from: origins[at]!.from, to: origins[end - 1]!.to };
    // Within one long word, check only once.
    const next = opensInside ? at + 1 : starts[at + 1];
    at = next === undefined ? -1 : text.indexOf(word, next);
  }
}

/** For each position, the next one at or after it where a word can begin. */
function startsIn(text: string): (number | undefined)[] {
  const starts: (number | undefined)[] = [];
  let next: number | undefined;
  for (let at = text.length - 1; at >= 0; at--) {
    const isInside = at > 0 && PART_OF_WORD.test(lastOf(text.slice(Math.max(0, at - 2), at)));
    if (!isInside) next = at;
    starts[at] = next;
  }
  return starts;
}

const matchesInside = (character: string): boolean =>
  UNSPACED.test(character) || !PART_OF_WORD.test(character);

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0)!);

function lastOf(text: string): string {
  const low = text.charCodeAt(text.length - 1);
  const isPair = low >= 0xdc_00 && low <= 0xdf_ff && text.length > 1;
  return text.slice(isPair ? -2 : -1);
}

const DOT = "•";

/** Replaces each character of the hits with a dot. Spaces stay; invisible characters are removed. */
export function maskHits(text: string, hits: readonly Hit[]): string {
  const isHit = new Uint8Array(text.length);
  for (const { from, to } of hits) isHit.fill(1, from, to);
  let masked = "";
  for (const { segment, index } of graphemes.segment(text)) {
    const isShown = isHit[index] === 0 || /^\s+$/.test(segment);
    if (isShown) masked += segment;
    else if (fold(segment) !== "") masked += DOT;
  }
  return masked;
}

/** The same for texts that look the same. */
export const normalized = (text: string): string => foldText(text).text.trim();
