import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { openPanel, usePanels } from "../state/panels.ts";
import { IconButton } from "../ui/button.tsx";
import { usePlace } from "../app/shortcuts/use-place.ts";
import { openSearch } from "./search-store.ts";

export function SearchButton() {
  const { t } = useTranslation("search");
  const isOpen = usePanels(({ panel }) => panel === "search");
  const place = usePlace();
  const [, navigate] = useLocation();
  return (
    <IconButton
      icon={Search}
      label={t("title")}
      pressed={isOpen}
      tooltipSide="bottom"
      onClick={() => (isOpen ? openPanel(null) : openSearch(place, navigate))}
    />
  );
}
