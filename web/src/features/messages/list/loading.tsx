import { useTranslation } from "react-i18next";
import { MessageSkeleton } from "./list-head.tsx";

const WIDTHS = ["w-3/5", "w-2/5", "w-1/2", "w-4/5", "w-1/3", "w-3/4", "w-2/3"];

/** In the place of a channel that is being loaded. */
export function Loading() {
  const { t } = useTranslation("ui");
  return (
    <div
      role="status"
      className="flex min-h-0 flex-1 flex-col justify-end gap-3 overflow-hidden px-4 pb-4 md:px-5"
    >
      <span className="sr-only">{t("loading")}</span>
      {WIDTHS.map((width) => (
        <MessageSkeleton key={width} width={width} />
      ))}
    </div>
  );
}
