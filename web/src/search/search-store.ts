import { create } from "zustand";
import { parsePlace, placePath } from "../routes.ts";
import { openPanel, usePanels } from "../state/panels.ts";
import type { Place } from "../app/shortcuts/use-place.ts";
import { type ScopeName, scopeAt } from "./resolve.ts";

interface SearchState {
  /** As it was typed. It stays while one looks at what was found. */
  text: string;
  /** What was chosen, where there is a choice. It stays as the text does. */
  scope: ScopeName;
  /** Whether the field is to have the focus, once it is there. */
  isAsked: boolean;
}

export const useSearchText = create<SearchState>(() => ({ text: "", scope: "group", isAsked: false }));

export function chooseScope(scope: ScopeName): void {
  useSearchText.setState({ scope });
}

/** How much is searched from a place. */
export function useScope(place: Place | null): ScopeName {
  return useSearchText(({ scope }) => scopeAt(place, scope));
}

export function setSearchText(text: string): void {
  useSearchText.setState({ text });
}

/** Puts the focus into the field, behind the text that it shows. */
export function askSearch(): void {
  useSearchText.setState({ isAsked: true });
}

/** Calls when the field is to have the focus, at once where that was asked before. Returns the function that ends it. */
export function onSearchAsked(listener: () => void): () => void {
  const answer = (): void => {
    if (!useSearchText.getState().isAsked) return;
    useSearchText.setState({ isAsked: false });
    listener();
  };
  answer();
  return useSearchText.subscribe(answer);
}

export const SEARCH_FIELD_ID = "search-field";

/**
 * Opens the search at the right, or goes back to it. False where one is in the field already: then the key is for the browser's own
 * search.
 */
export function openSearch(place: Place | null, navigate: (path: string) => void): boolean {
  if (document.activeElement?.id === SEARCH_FIELD_ID) return false;
  askSearch();
  if (usePanels.getState().panel !== "search") openPanel("search");
  // One thing at a time stands at the right.
  const hasThread = parsePlace(location.search).thread !== undefined;
  if (hasThread && place !== null && place.channelId !== null)
    navigate(placePath(place.groupId, place.channelId));
  return true;
}
