import type { AdminUser, Call } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ReasonField } from "./reason-field.tsx";
import { DANGEROUS, type UserDeed, WITH_REASON } from "./user-deeds.ts";

interface UserDeedDialogProps {
  user: AdminUser;
  deed: UserDeed;
  onClose: () => void;
}

/** Asks before something is done to an account, and says what it will mean for its owner. */
export function UserDeedDialog({ user, deed, onClose }: UserDeedDialogProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [reason, setReason] = useState("");
  const name = user.nickname;
  const confirm = async () => {
    await carryOut(call, deed, user.id, reason.trim());
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

function carryOut(call: Call, deed: UserDeed, userId: string, reason: string): Promise<unknown> {
  const params = { userId, ...(reason !== "" && { reason }) };
  switch (deed) {
    case "disable":
      return call("admin.disableUser", params);
    case "enable":
      return call("admin.enableUser", { userId });
    case "resetTotp":
      return call("admin.resetTotp", params);
    default:
      return call("admin.setAdmin", { userId, admin: deed === "makeAdmin" });
  }
}
