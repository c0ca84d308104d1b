import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useHasUnsent } from "./conversation.ts";

/** Marks a conversation with failed messages. */
export function UnsentMark({ channelId }: { channelId: string }) {
  const { t } = useTranslation("messages");
  if (!useHasUnsent(channelId)) return null;
  return (
    <>
      <CircleAlert size={13} aria-hidden className="shrink-0 text-danger-text" />
      <span className="sr-only">{t("unsent.label")}</span>
    </>
  );
}
