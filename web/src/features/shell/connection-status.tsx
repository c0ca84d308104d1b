import { useTranslation } from "react-i18next";
import { useConnectionState } from "../../data/connection.ts";
import { cx } from "../../ui/cx.ts";

/** Whether what is shown is live, in a word. */
export function ConnectionStatus() {
  const { t } = useTranslation("shell");
  const state = useConnectionState();
  return (
    <span className="flex items-center gap-1.5 text-xs text-muted">
      <span
        aria-hidden
        className={cx("size-2 shrink-0 rounded-full", state === "online" ? "bg-good" : "bg-warn")}
      />
      {t(`state.${state}`)}
    </span>
  );
}
