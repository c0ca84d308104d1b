import { UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { useMe } from "../../data/me.ts";
import { Button } from "../../ui/button.tsx";
import { ClaimDialog } from "./claim-dialog.tsx";

/** Put off until the page is loaded again. */
const usePutOff = create(() => ({ isPutOff: false }));

/** Offers guests an account of their own. */
export function ClaimBanner() {
  const { t } = useTranslation("session");
  const isGuest = useMe().kind === "guest";
  const isPutOff = usePutOff((state) => state.isPutOff);
  const [isOpen, setOpen] = useState(false);
  if (!isGuest || isPutOff) return null;
  return (
    <aside
      aria-label={t("claim.title")}
      className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 gap-y-1 bg-accent-soft px-4 py-1 text-sm text-accent-text"
    >
      <UserRoundCheck size={16} aria-hidden className="shrink-0 max-md:hidden" />
      <p className="min-w-40 md:min-w-0 max-md:flex-1">{t("claim.banner")}</p>
      <span className="flex gap-1">
        <Button size="sm" onClick={() => setOpen(true)}>
          {t("claim.action")}
        </Button>
        <Button size="sm" variant="ghost" onClick={() => usePutOff.setState({ isPutOff: true })}>
          {t("claim.dismiss")}
        </Button>
      </span>
      {isOpen && <ClaimDialog onClose={() => setOpen(false)} />}
    </aside>
  );
}
