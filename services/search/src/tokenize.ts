import { matchesLongerWords, partsOfSearch, stemOf, WORD } from "@fanfare/contract/search-words";
import { TOKENS_PER_MESSAGE, WORD_MAX_CHARS, WORDS_PER_SEARCH } from "./constants.ts";

/** Scripts without spaces: every two adjacent characters form a token. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

interface Word {
  word: string;
  unspaced: boolean;
}

function words(text: string): Iterable<Word> {
  // Without normalization, which takes a fifth of the time.
  return ASCII.test(text) ? asciiWords(text) : anyWords(text);
}

function asciiWords(text: string): Word[] {
  return (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => ({ word, unspaced: false }));
}

/** Ignores width, ligatures and case. */
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

/** Words don't contain a tilde, so stems never collide with words. */
const stemToken = (stem: string): string => `~${stem}`;

function wordTokens(word: string): string[] {
  const stem = stemOf(word);
  return stem === null || stem === word ? [word] : [word, stemToken(stem)];
}

/**
 * The tokens of a text: words and their English stems; for scripts without spaces, each character and each pair of adjacent ones.
 * At most TOKENS_PER_MESSAGE.
 */
export function textTokens(text: string): string[] {
  const tokens = new Set<string>();
  for (const { word, unspaced } of words(text)) {
    const characters = unspaced ? Array.from(word) : [];
    for (const token of unspaced ? [...characters, ...pairs(characters)] : wordTokens(clipped(word))) {
      if (tokens.size >= TOKENS_PER_MESSAGE) return [...tokens];
      tokens.add(token);
    }
  }
  return [...tokens];
}

/** A message matches if it has one of the tokens, or a token that starts with the prefix. */
export interface SearchWord {
  tokens: readonly string[];
  prefix?: string;
}

export function matches({ tokens, prefix }: SearchWord, ofMessage: readonly string[]): boolean {
  return ofMessage.some(
    (token) => tokens.includes(token) || (prefix !== undefined && token.startsWith(prefix)),
  );
}

/** An unquoted word. */
function looseWord(word: string): SearchWord {
  const stem = stemOf(word);
  const tokens = stem === null ? [word] : [stem, stemToken(stem)];
  if (!matchesLongerWords(word)) return { tokens };
  // Tokens that start with the prefix need no separate query.
  return { tokens: tokens.filter((token) => !token.startsWith(word)), prefix: word };
}

/** The words of a query, those expected to be rarest first: the longest. */
export function queryWords(text: string): SearchWord[] {
  const found = new Map<string, SearchWord>();
  for (const { part, isQuoted } of partsOfSearch(text)) {
    for (const { word, unspaced } of words(part)) {
      const characters = unspaced ? Array.from(word) : [];
      if (characters.length > 1) for (const pair of pairs(characters)) found.set(pair, { tokens: [pair] });
      else {
        const wanted = clipped(word);
        found.set(wanted, unspaced || isQuoted ? { tokens: [wanted] } : looseWord(wanted));
      }
    }
  }
  return [...found]
    .sort(([a], [b]) => b.length - a.length)
    .slice(0, WORDS_PER_SEARCH)
    .map(([, word]) => word);
}
