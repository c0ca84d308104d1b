import { create } from "zustand";
import { parsePlace, placePath } from "../routes.ts";
import { openPanel, usePanels } from "../state/panels.ts";
import type { Place } from "../app/shortcuts/use-place.ts";
import { useEffect } from "react";
import { useIsPhone } from "../ui/hooks.ts";

type ScopeName = "channel" | "group" | "everywhere";

/** What is needed to return to the results. */
interface SearchPlace {
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

/** The effective scope at a place. */
export function useScope(place: Place | null): ScopeName {
  return useSearchText(({ scope }) => scopeAt(place, scope));
}

/** The available search scopes; only "everywhere" outside groups and direct messages. */
export function scopesAt(place: Place | null): ScopeName[] {
  const scopes: ScopeName[] = ["everywhere"];
  if (place !== null && place.groupId !== null) scopes.unshift("group");
  if (place !== null && place.channelId !== null) scopes.unshift("channel");
  return scopes;
}

/** The chosen scope if it is available, otherwise the group or direct message. */
export function scopeAt(place: Place | null, chosen: ScopeName): ScopeName {
  const scopes = scopesAt(place);
  if (scopes.includes(chosen)) return chosen;
  return scopes.includes("group") ? "group" : scopes[0]!;
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

/** The search of the current entry of the browser's history. */
const entry = (): SearchPlace | undefined => (history.state as { search?: SearchPlace } | null)?.search;

/** Whether the current entry of the browser's history is the search on a phone. */
export const hasSearchEntry = (): boolean => entry() !== undefined;

function newState(): { search: SearchPlace } {
  const { text, scope, top } = useSearchText.getState();
  return { search: { text, scope, top } };
}

/** On a phone the panel covers the page, so that it has an entry of its own: Back closes it, or leads from a result to it. */
export function useSearchHistory(isShown: boolean): void {
  const isPhone = useIsPhone();
  useEffect(() => {
    if (isPhone && isShown && entry() === undefined) history.pushState(newState(), "");
  }, [isPhone, isShown]);
  useEffect(() => {
    const follow = (): void => {
      const place = entry();
      if (place !== undefined) {
        // What was open above the results was closed.
        if (usePanels.getState().panel === "search") return;
        useSearchText.setState(place);
        openPanel("search");
      } else if (isPhone && usePanels.getState().panel === "search") openPanel(null);
    };
    // After a reload.
    if (entry() !== undefined && usePanels.getState().panel !== "search") follow();
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [isPhone]);
}

/** Remembers how far the results are scrolled before one of them is opened. */
export function keepResults(top: number): void {
  useSearchText.setState({ top });
  if (entry() !== undefined) history.replaceState(newState(), "");
}

export function closeSearch(): void {
  if (entry() === undefined) {
    openPanel(null);
    return;
  }
  // A second click doesn't go back twice.
  history.replaceState(null, "");
  addEventListener("popstate", () => openPanel(null), { once: true });
  history.back();
}
