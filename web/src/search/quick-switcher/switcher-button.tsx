import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../ui/button.tsx";
import { openOverlay } from "../../app/shortcuts/overlay-store.ts";

/** Opens the switcher without a keyboard. */
export function SwitcherButton() {
  const { t } = useTranslation("quick-switcher");
  return (
    <IconButton
      icon={Search}
      label={t("title")}
      tooltipSide="right"
      data-walk
      className="size-11 rounded-lg hover:not-disabled:bg-selected"
      onClick={() => openOverlay("switcher")}
    />
  );
}
