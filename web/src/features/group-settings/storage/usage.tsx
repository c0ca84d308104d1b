import { useTranslation } from "react-i18next";
import { useAsk } from "../../../data/data-context.ts";
import { ON_OPEN } from "../../../data/query-client.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";

/** How much of its room the files of a group take. */
export function Usage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("group-settings");
  const { bytes } = useFormats();
  const { data, error, refetch } = useAsk("file.getGroupUsage", { groupId }, ON_OPEN);
  if (data === undefined) {
    if (error === null) return <Skeleton className="h-8" />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  const { usedBytes, maxBytes } = data;
  if (maxBytes === null)
    return <p className="text-sm text-muted">{t("storage.usedOnly", { used: bytes(usedBytes) })}</p>;
  const text = t("storage.used", { used: bytes(usedBytes), max: bytes(maxBytes) });
  return (
    <>
      <meter
        min={0}
        max={Math.max(1, maxBytes)}
        value={usedBytes}
        aria-label={t("storage.usage")}
        className="sr-only"
      >
        {text}
      </meter>
      <div aria-hidden className="h-2.5 overflow-hidden rounded-full bg-selected">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, (usedBytes / Math.max(1, maxBytes)) * 100)}%` }}
        />
      </div>
      <p className="text-sm text-muted">{text}</p>
    </>
  );
}
