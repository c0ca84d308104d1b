import { lazy, Suspense } from "react";
import { useSearch as useAddressQuery } from "wouter";
import { parsePlace } from "../routes.ts";
import { usePanels } from "../state/panels.ts";
import { useHasSearch, usePlace } from "../app/shortcuts/use-place.ts";

const SearchPanel = lazy(async () => ({ default: (await import("./search-panel.tsx")).SearchPanel }));

/** Renders the open search panel. A thread takes its place. */
export function SearchPanelHost() {
  const place = usePlace();
  const hasSearch = useHasSearch();
  const isOpen = usePanels(({ panel }) => panel === "search");
  const { thread } = parsePlace(useAddressQuery());
  if (!isOpen || !hasSearch || thread !== undefined) return null;
  return (
    <Suspense>
      <SearchPanel place={place} />
    </Suspense>
  );
}
