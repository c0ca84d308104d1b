import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { openPanel, usePanels } from "../state/panels.ts";
import { Tooltip } from "../ui/button.tsx";
import { usePlace } from "../app/shortcuts/use-place.ts";
import { openSearch } from "./search-store.ts";

/** Looks like a field where there is room for one, and opens the search panel. */
export function SearchButton() {
  const { t } = useTranslation("search");
  const isOpen = usePanels(({ panel }) => panel === "search");
  const place = usePlace();
  const [, navigate] = useLocation();
  return (
    <Tooltip text={t("field")} side="bottom">
      <button
        type="button"
        aria-label={t("title")}
        aria-pressed={isOpen}
        className="inline-flex size-control shrink-0 items-center justify-center gap-2 rounded-md text-sm text-muted transition-colors hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text md:@xl:me-1 md:@xl:h-8 md:@xl:w-44 md:@xl:justify-start md:@xl:border md:@xl:border-line md:@xl:bg-sidebar md:@xl:px-2.5 md:@4xl:w-56"
        onClick={() => (isOpen ? openPanel(null) : openSearch(place, navigate))}
      >
        <Search aria-hidden className="size-5 shrink-0 md:@xl:size-4" />
        <span className="truncate max-md:hidden @max-xl:hidden">{t("title")}</span>
      </button>
    </Tooltip>
  );
}
