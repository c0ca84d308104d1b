import { useTranslation } from "react-i18next";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { logOut } from "./session-store.ts";

/** A guest who logs out is gone for good: there is nothing to log in with again. */
export function GuestLogoutDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation("session");
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t("guestLeaves.title")}
      action={t("guestLeaves.action")}
      danger
      onConfirm={logOut}
    >
      {t("guestLeaves.text")}
    </ConfirmDialog>
  );
}
