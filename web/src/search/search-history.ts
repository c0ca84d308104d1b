import { useEffect } from "react";
import { openPanel, usePanels } from "../state/panels.ts";
import { useIsPhone } from "../ui/hooks.ts";
import { type SearchPlace, useSearchText } from "./search-store.ts";

/** The search of the current entry of the browser's history. */
const entry = (): SearchPlace | undefined => (history.state as { search?: SearchPlace } | null)?.search;

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
