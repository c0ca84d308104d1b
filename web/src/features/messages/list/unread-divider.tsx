import { useTranslation } from "react-i18next";

/** Above the first message that was not read when the channel was opened. */
export function UnreadDivider() {
  const { t } = useTranslation("messages");
  return (
    <div
      role="separator"
      aria-label={t("unread.divider")}
      className="flex items-center gap-2 px-4 pt-3 md:px-5"
    >
      <span className="h-px flex-1 bg-danger" />
      <span className="text-xs font-semibold text-danger-text">{t("unread.divider")}</span>
    </div>
  );
}
