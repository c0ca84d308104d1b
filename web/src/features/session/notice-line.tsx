import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import type { SessionNotice } from "./session-store.ts";

/** Why nobody is logged in any more. */
export function NoticeLine({ notice }: { notice: SessionNotice | null }) {
  const { t } = useTranslation("session");
  if (notice === null) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text"
    >
      <p>{t(`notice.${notice}`)}</p>
      {notice === "updated" && (
        <Button size="sm" onClick={() => location.reload()}>
          {t("shell:reload")}
        </Button>
      )}
    </div>
  );
}
