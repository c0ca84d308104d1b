import { matchesLongerWords, partsOfSearch, stemOf, WORD } from "@fanfare/contract/search-words";
import { type RefObject, useEffect } from "react";

const NAME = "search-words";

/** Highlights words in an element with the CSS Custom Highlight API, if the browser has it. */
export function useHighlights(within: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = within.current;
    if (root === null || !("highlights" in CSS)) return undefined;
    const mark = (): void => {
      CSS.highlights.set(NAME, new Highlight(...rangesIn(root, words)));
    };
    mark();
    // Results and names are loaded later.
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [within, words]);
}

function rangesIn(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  for (const text of root.querySelectorAll(".markdown")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const [start, end] of matchWords(node.nodeValue ?? "", words)) {
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, end);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

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
