import { useTranslation } from "react-i18next";

interface BlockedFoldProps {
  count: number;
  isOpen: boolean;
  onOpen: () => void;
}

/** In the place of messages by somebody whom the user has blocked. */
export function BlockedFold({ count, isOpen, onOpen }: BlockedFoldProps) {
  const { t } = useTranslation("messages");
  return (
    <p className="flex items-center gap-2 px-4 pt-2 pl-19 text-sm text-muted md:px-5 md:pl-19">
      {t("blocked.count", { count })}
      {!isOpen && (
        <button type="button" className="font-medium text-accent-text hover:underline" onClick={onOpen}>
          {t("blocked.show")}
        </button>
      )}
    </p>
  );
}
