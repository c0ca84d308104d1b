import type { AdminUser, Call } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { PasswordLink } from "./password-link-dialog.tsx";
import { ReasonField } from "./reason-field.tsx";
import { DANGEROUS, type UserDeed, WITH_REASON } from "./user-deeds.ts";

interface UserDeedDialogProps {
  user: AdminUser;
  deed: UserDeed;
  onClose: () => void;
  /** Shows a link that could not be mailed. */
  onLink: (link: PasswordLink) => void;
}

/** Asks before something is done to an account, and says what it will mean for its owner. */
export function UserDeedDialog({ user, deed, onClose, onLink }: UserDeedDialogProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [reason, setReason] = useState("");
  const name = user.nickname;
  const confirm = async () => {
    const link = await carryOut(call, deed, user.id, reason.trim());
    if (link !== null) return onLink({ name, link });
    showToast({ text: t(`users.${deed}.done`, { name }), tone: "good" });
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t(`users.${deed}.title`, { name })}
      action={t(`users.${deed}.action`)}
      danger={DANGEROUS.has(deed)}
      onConfirm={confirm}
    >
      <div className="grid gap-3">
        <p>{t(`users.${deed}.text`, { name })}</p>
        {WITH_REASON.has(deed) && <ReasonField value={reason} onChange={setReason} />}
      </div>
    </ConfirmDialog>
  );
}

/** @returns the link to pass on, if there is one */
async function carryOut(call: Call, deed: UserDeed, userId: string, reason: string): Promise<string | null> {
  const params = { userId, ...(reason !== "" && { reason }) };
  switch (deed) {
    case "disable":
      await call("admin.disableUser", params);
      break;
    case "enable":
      await call("admin.enableUser", { userId });
      break;
    case "sendReset":
      return (await call("admin.sendPasswordReset", { userId })).link;
    case "resetTotp":
      await call("admin.resetTotp", params);
      break;
    default:
      await call("admin.setAdmin", { userId, admin: deed === "makeAdmin" });
  }
  return null;
}
