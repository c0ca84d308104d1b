import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../ui/button.tsx";
import { openOverlay } from "../../app/shortcuts/overlay-store.ts";

/** Opens the switcher from the rail: who has no keyboard finds it here. */
export function SwitcherButton() {
  const { t } = useTranslation("quick-switcher");
  return (
    <IconButton
      icon={Search}
      label={t("title")}
      tooltipSide="right"
      data-walk
      className="size-11 rounded-lg"
      onClick={() => openOverlay("switcher")}
    />
  );
}
