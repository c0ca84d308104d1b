import { UserRoundCheck, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { useMe } from "../../data/me.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ClaimDialog } from "./claim-dialog.tsx";
import { useWaysIn } from "./server-meta.ts";

/** Put off until the page is loaded again. */
const usePutOff = create(() => ({ isPutOff: false }));

/** Offers guests an account of their own. */
export function ClaimBanner() {
  const { t } = useTranslation("session");
  const isGuest = useMe().kind === "guest";
  const canClaim = useWaysIn()?.register === true;
  const isPutOff = usePutOff((state) => state.isPutOff);
  const [isOpen, setOpen] = useState(false);
  if (!isGuest || !canClaim || isPutOff) return null;
  return (
    <aside
      aria-label={t("claim.title")}
      className="flex shrink-0 items-center justify-center gap-3 bg-accent-soft py-1 pr-2 pl-4 text-sm text-accent-text"
    >
      <UserRoundCheck size={16} aria-hidden className="shrink-0 max-md:hidden" />
      <p className="max-md:flex-1">{t("claim.banner")}</p>
      <span className="flex shrink-0 gap-1">
        <Button size="sm" onClick={() => setOpen(true)}>
          {t("claim.action")}
        </Button>
        <IconButton
          icon={X}
          label={t("claim.dismiss")}
          size="sm"
          tooltipSide="left"
          onClick={() => usePutOff.setState({ isPutOff: true })}
        />
      </span>
      {isOpen && <ClaimDialog onClose={() => setOpen(false)} />}
    </aside>
  );
}
