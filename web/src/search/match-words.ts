import { stemmer } from "stemmer";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ENGLISH = /^[a-z]{3,}$/;
const HANGUL = /^\p{Script=Hangul}/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

const stemOf = (word: string): string => (ENGLISH.test(word) ? stemmer(word) : word);

/** As the server finds words: other forms in English and, unless the word is very short, longer words that begin with it. */
function matcherOf(wanted: string, isQuoted: boolean): (word: string) => boolean {
  if (isQuoted) return (word) => word === wanted;
  const isShort = Array.from(wanted).length < (HANGUL.test(wanted) ? 2 : 4);
  return (word) => stemOf(word) === stemOf(wanted) || (!isShort && word.startsWith(wanted));
}

/** Where a text has the words that were searched for, as [start, end]: whole words, of Chinese and Japanese also parts. */
export function matchWords(text: string, words: string): [start: number, end: number][] {
  const parts = words.replaceAll(/[“”„]/g, '"').toLowerCase().split('"');
  const found = parts.flatMap((part, i) => {
    const isQuoted = i % 2 === 1 && i < parts.length - 1;
    return (part.match(WORD) ?? []).map((word) => ({ word, isQuoted }));
  });
  const unspaced = found.filter(({ word }) => CJK.test(word)).map(({ word }) => word);
  const matchers = found
    .filter(({ word }) => !CJK.test(word))
    .map(({ word, isQuoted }) => matcherOf(word, isQuoted));
  const spaced = [...text.matchAll(WORD)].filter(([word]) =>
    matchers.some((isMatch) => isMatch(word.toLowerCase())),
  );
  // A word has letters, digits and marks only: nothing in it means something to an expression.
  const parted = unspaced.length === 0 ? [] : text.matchAll(new RegExp(unspaced.join("|"), "giu"));
  return [...spaced, ...parted].map(({ index, 0: { length } }) => [index, index + length]);
}
