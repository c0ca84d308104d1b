import { TOKENS_PER_MESSAGE, WORD_MAX_CHARS, WORDS_PER_SEARCH } from "./bounds.ts";

/** Letters, digits and what belongs to them; everything else stands between words. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Written without spaces: every two neighbours are a token. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

interface Word {
  word: string;
  unspaced: boolean;
}

function words(text: string): Iterable<Word> {
  // Without anything to normalize: a fifth of the time.
  return ASCII.test(text) ? asciiWords(text) : anyWords(text);
}

function asciiWords(text: string): Word[] {
  return (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => ({ word, unspaced: false }));
}

/** Widths, ligatures and case do not matter. */
function* anyWords(text: string): Generator<Word> {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    let end = 0;
    for (const { 0: part, index } of run.matchAll(UNSPACED)) {
      if (index > end) yield { word: run.slice(end, index), unspaced: false };
      yield { word: part, unspaced: true };
      end = index + part.length;
    }
    if (end < run.length) yield { word: run.slice(end), unspaced: false };
  }
}

const clipped = (word: string): string =>
  word.length <= WORD_MAX_CHARS ? word : Array.from(word.slice(0, WORD_MAX_CHARS)).join("");

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

/** What a text is found by: its words, and of unspaced writing each character and each two neighbours. Bounded. */
export function textTokens(text: string): string[] {
  const tokens = new Set<string>();
  for (const { word, unspaced } of words(text)) {
    const characters = unspaced ? Array.from(word) : [];
    for (const token of unspaced ? [...characters, ...pairs(characters)] : [clipped(word)]) {
      if (tokens.size >= TOKENS_PER_MESSAGE) return [...tokens];
      tokens.add(token);
    }
  }
  return [...tokens];
}

/** What a message must have to be found by a text, the rarest by guess first: the longest. */
export function queryTokens(text: string): string[] {
  const tokens = new Set<string>();
  for (const { word, unspaced } of words(text)) {
    const characters = unspaced ? Array.from(word) : [];
    const wanted = unspaced ? (characters.length === 1 ? characters : pairs(characters)) : [clipped(word)];
    for (const token of wanted) tokens.add(token);
  }
  return [...tokens].sort((a, b) => b.length - a.length).slice(0, WORDS_PER_SEARCH);
}
