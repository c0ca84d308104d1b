import { create } from "zustand";
import { parsePlace, placePath } from "../routes.ts";
import { openPanel, usePanels } from "../state/panels.ts";
import type { Place } from "../app/shortcuts/use-place.ts";

interface SearchState {
  /** As it was typed. It stays while one looks at what was found. */
  text: string;
  /** Grows whenever the field is to have the focus. */
  asked: number;
}

export const useSearchText = create<SearchState>(() => ({ text: "", asked: 0 }));

export function setSearchText(text: string): void {
  useSearchText.setState({ text });
}

/** Puts the focus into the field, behind the text that it shows. */
export function askSearch(): void {
  useSearchText.setState(({ asked }) => ({ asked: asked + 1 }));
}

/** Calls whenever the field is to have the focus. Returns the function that ends it. */
export function onSearchAsked(listener: () => void): () => void {
  return useSearchText.subscribe((now, before) => {
    if (now.asked !== before.asked) listener();
  });
}

export const SEARCH_FIELD_ID = "search-field";

/**
 * Opens the search at the right, or goes back to it. False where there is nothing to search in, and where one is in the field already:
 * then the key is for the browser's own search.
 */
export function openSearch(place: Place | null, navigate: (path: string) => void): boolean {
  if (place === null || document.activeElement?.id === SEARCH_FIELD_ID) return false;
  askSearch();
  if (usePanels.getState().panel !== "search") openPanel("search");
  // One thing at a time stands at the right.
  const hasThread = parsePlace(location.search).thread !== undefined;
  if (hasThread && place.channelId !== null) navigate(placePath(place.groupId, place.channelId));
  return true;
}
