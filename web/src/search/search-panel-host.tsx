import { lazy, Suspense } from "react";
import { useSearch as useAddressQuery } from "wouter";
import { parsePlace } from "../routes.ts";
import { usePanels } from "../state/panels.ts";
import { usePlace } from "../app/shortcuts/use-place.ts";

const SearchPanel = lazy(async () => ({ default: (await import("./search-panel.tsx")).SearchPanel }));

/** The search at the right of whatever is shown, where it is open. A thread takes its place. */
export function SearchPanelHost() {
  const place = usePlace();
  const isOpen = usePanels(({ panel }) => panel === "search");
  const { thread } = parsePlace(useAddressQuery());
  if (!isOpen || place === null || thread !== undefined) return null;
  return (
    <Suspense>
      <SearchPanel key={place.groupId ?? place.channelId} place={place} />
    </Suspense>
  );
}
