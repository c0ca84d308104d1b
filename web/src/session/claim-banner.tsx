import { useTranslation } from "react-i18next";
import { UserRoundCheck, X } from "lucide-react";
import { create } from "zustand";
import { useMe } from "../data/me.ts";
import { lazy } from "../shared/later.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { useLoginOptions } from "./server-meta.ts";

const ClaimDialog = lazy(async () => (await import("./claim-dialog.tsx")).ClaimDialog);

/** Turns a guest into an account that keeps everything. */
export function openClaimDialog(): void {
  openDialog((onClose) => <ClaimDialog onClose={onClose} />);
}

/** Dismissed until the page is reloaded. */
const useDismissed = create(() => ({ isDismissed: false }));

export function ClaimBanner() {
  const { t } = useTranslation("session");
  const isGuest = useMe().kind === "guest";
  // Shown before this is known, because a banner that appears later would move the page.
  const canClaim = useLoginOptions()?.register !== false;
  const isDismissed = useDismissed((state) => state.isDismissed);
  if (!isGuest || !canClaim || isDismissed) return null;
  return (
    <aside
      aria-label={t("claim.title")}
      className="flex shrink-0 items-center justify-center gap-3 bg-accent-soft py-1 pe-2 ps-4 text-sm text-accent-text"
    >
      <UserRoundCheck size={16} aria-hidden className="shrink-0 max-md:hidden" />
      <p className="max-md:flex-1">{t("claim.banner")}</p>
      <span className="flex shrink-0 gap-1">
        <Button size="sm" onClick={openClaimDialog}>
          {t("newAccount")}
        </Button>
        <IconButton
          icon={X}
          label={t("claim.dismiss")}
          size="sm"
          tooltipSide="left"
          onClick={() => useDismissed.setState({ isDismissed: true })}
        />
      </span>
    </aside>
  );
}
