import { Info } from "lucide-react";
import { useTranslation } from "react-i18next";

/** Why somebody cannot be reached, and what can be done about it. */
export function Refusal({ isOfSeveral }: { isOfSeveral: boolean }) {
  const { t } = useTranslation("directs");
  return (
    <p role="alert" className="flex gap-2.5 rounded-md bg-warn-soft px-3 py-2.5 text-sm text-warn-text">
      <Info size={18} aria-hidden className="shrink-0" />
      {isOfSeveral ? t("someNotReachable") : t("notReachable")}
    </p>
  );
}
