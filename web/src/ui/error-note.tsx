import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";

/** What went wrong and what to do; nothing when `text` is null. */
export function ErrorNote({ text, onRetry }: { text: string | null | undefined; onRetry?: () => void }) {
  const { t } = useTranslation("ui");
  const hasText = typeof text === "string" && text !== "";
  return (
    // The region is there before its text: only then is the text read out.
    <div role="alert" className={hasText ? undefined : "hidden"}>
      {hasText && (
        <div className="flex items-start gap-2.5 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text">
          <CircleAlert size={18} aria-hidden className="mt-px shrink-0" />
          <p className="flex-1 wrap-anywhere">{text}</p>
          {onRetry && (
            <Button size="sm" variant="danger-ghost" className="-my-1" onClick={onRetry}>
              {t("retry")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
