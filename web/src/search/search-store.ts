import { create } from "zustand";
import { parsePlace, placePath } from "../routes.ts";
import { openPanel, usePanels } from "../state/panels.ts";
import type { Place } from "../app/shortcuts/use-place.ts";
import type { ScopeName } from "./resolve.ts";

/** What is needed to return to the results. */
export interface SearchPlace {
  /** The query as typed. It stays while results are visited. */
  text: string;
  /** The chosen scope. It stays as long as the text does. */
  scope: ScopeName;
  /** How far the results were scrolled, in pixels, when one of them was opened. */
  top: number;
}

interface SearchState extends SearchPlace {
  /** Whether the field takes the focus when it is rendered. */
  isFocusRequested: boolean;
}

export const useSearchText = create<SearchState>(() => ({
  text: "",
  scope: "group",
  top: 0,
  isFocusRequested: false,
}));

export function chooseScope(scope: ScopeName): void {
  useSearchText.setState({ scope, top: 0 });
}

export function setSearchText(text: string): void {
  useSearchText.setState({ text, top: 0 });
}

/** Focuses the search field, with the caret at the end. */
export function focusSearch(): void {
  useSearchText.setState({ isFocusRequested: true });
}

/** Calls the listener when the field should be focused, immediately if that was requested before. @returns a function that unsubscribes */
export function onSearchFocus(listener: () => void): () => void {
  const response = (): void => {
    if (!useSearchText.getState().isFocusRequested) return;
    useSearchText.setState({ isFocusRequested: false });
    listener();
  };
  response();
  return useSearchText.subscribe(response);
}

export const SEARCH_FIELD_ID = "search-field";

/**
 * Opens or focuses the search panel. Returns false if the field is focused already: then the key opens the browser's own search.
 */
export function openSearch(place: Place | null, navigate: (path: string) => void): boolean {
  if (document.activeElement?.id === SEARCH_FIELD_ID) return false;
  focusSearch();
  if (usePanels.getState().panel !== "search") openPanel("search");
  // Only one side panel is open at a time.
  const hasThread = parsePlace(location.search).thread !== undefined;
  if (hasThread && place !== null && place.channelId !== null)
    navigate(placePath(place.groupId, place.channelId));
  return true;
}
