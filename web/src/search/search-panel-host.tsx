import { Suspense } from "react";
import { useSearch as useAddressQuery } from "wouter";
import { parsePlace } from "../routes.ts";
import { usePanels } from "../state/panels.ts";
import { useHasSearch, usePlace } from "../app/shortcuts/use-place.ts";
import { useSearchHistory } from "./search-history.ts";
import { lazy } from "../shared/later.tsx";
// Here, because styles that belong to code loaded later stay missing if they failed once.
import "./search.css";

const SearchPanel = lazy(async () => ({ default: (await import("./search-panel.tsx")).SearchPanel }));

/** Renders the open search panel. A thread takes its place. */
export function SearchPanelHost() {
  const place = usePlace();
  const hasSearch = useHasSearch();
  const isOpen = usePanels(({ panel }) => panel === "search");
  const { thread } = parsePlace(useAddressQuery());
  const isShown = isOpen && hasSearch && thread === undefined;
  useSearchHistory(isShown);
  if (!isShown) return null;
  return (
    <Suspense>
      <SearchPanel place={place} />
    </Suspense>
  );
}
