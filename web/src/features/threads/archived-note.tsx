import type { Channel } from "@fanfare/contract";
import { Archive } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { useArchive } from "./use-archive.ts";

/** That a thread was put away: it is still read and written in. */
export function ArchivedNote({ thread }: { thread: Channel }) {
  const { t } = useTranslation("threads");
  const { isArchived, mayChange, isPending, toggle } = useArchive(thread);
  if (!isArchived) return null;
  return (
    <div className="mx-3 mb-2 flex shrink-0 items-center gap-2 rounded-md bg-sidebar px-3 py-2 text-sm text-muted md:mx-5">
      <Archive size={16} aria-hidden className="shrink-0" />
      <p className="flex-1">{t("archived.note")}</p>
      {mayChange && (
        <Button size="sm" busy={isPending} onClick={toggle}>
          {t("archived.undo")}
        </Button>
      )}
    </div>
  );
}
