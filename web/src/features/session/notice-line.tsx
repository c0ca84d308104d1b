import { useTranslation } from "react-i18next";
import type { SessionNotice } from "./session-store.ts";

/** Why nobody is logged in any more. */
export function NoticeLine({ notice }: { notice: SessionNotice | null }) {
  const { t } = useTranslation("session");
  if (notice === null) return null;
  return (
    <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
      {t(`notice.${notice}`)}
    </p>
  );
}
