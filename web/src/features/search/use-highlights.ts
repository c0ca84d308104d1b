import { type RefObject, useEffect } from "react";
import { matchWords } from "./match-words.ts";
import "./search.css";

const NAME = "search-words";

/** Marks words in all texts within an element, without changing them; where the browser cannot, they stay as they are. */
export function useHighlights(within: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = within.current;
    if (root === null || !("highlights" in CSS)) return undefined;
    const mark = (): void => {
      CSS.highlights.set(NAME, new Highlight(...rangesIn(root, words)));
    };
    mark();
    // More is found, and names come later.
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
