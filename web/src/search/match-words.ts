import { matchesLongerWords, partsOfSearch, stemOf, WORD } from "@fanfare/contract/search-words";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a word of a text is one that the server finds by a word of the search. */
function matcherOf(wanted: string, isQuoted: boolean): (word: string) => boolean {
  if (isQuoted) return (word) => word === wanted;
  const stem = stemOf(wanted) ?? wanted;
  const hasLonger = matchesLongerWords(wanted);
  return (word) => (stemOf(word) ?? word) === stem || (hasLonger && word.startsWith(wanted));
}

/** Where a text has the words that were searched for, as [start, end]: whole words, of Chinese and Japanese also parts. */
export function matchWords(text: string, words: string): [start: number, end: number][] {
  const found = partsOfSearch(words.toLowerCase()).flatMap(({ part, isQuoted }) =>
    (part.match(WORD) ?? []).map((word) => ({ word, isQuoted })),
  );
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
