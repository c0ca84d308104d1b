const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Where the words that were searched for stand in a text, as [start, end]: whole words, of Chinese and Japanese also parts, as the server
 * finds them.
 */
export function matchWords(text: string, words: string): [start: number, end: number][] {
  const wanted = [...new Set(words.match(/[\p{L}\p{N}]+/gu))];
  if (wanted.length === 0) return [];
  const patterns = wanted
    .toSorted((a, b) => b.length - a.length)
    // A match has letters and digits only: nothing in it means something to an expression.
    .map((word) => (CJK.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`));
  return [...text.matchAll(new RegExp(patterns.join("|"), "giu"))].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
}
