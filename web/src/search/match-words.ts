import { matchesLongerWords, partsOfSearch, stemOf, WORD } from "@fanfare/contract/search-words";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether the server would find this word by the searched word. */
function matcherOf(wanted: string, isQuoted: boolean): (word: string) => boolean {
  if (isQuoted) return (word) => word === wanted;
  const stem = stemOf(wanted) ?? wanted;
  const hasLonger = matchesLongerWords(wanted);
  return (word) => (stemOf(word) ?? word) === stem || (hasLonger && word.startsWith(wanted));
}

/** The ranges of a text that match the search: whole words, but also parts of Chinese and Japanese ones. */
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
  // Words consist of letters, digits and marks, so nothing needs escaping.
  const parted = unspaced.length === 0 ? [] : text.matchAll(new RegExp(unspaced.join("|"), "giu"));
  return [...spaced, ...parted].map(({ index, 0: { length } }) => [index, index + length]);
}
