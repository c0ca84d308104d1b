import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { landingPath } from "../../routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

export function LeaveGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const [, navigate] = useLocation();
  const leave = async () => {
    await call("group.leave", { groupId: group.id });
    navigate(landingPath());
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("leave.title", { group: group.name })}
      action={t("leave.action")}
      danger
      onConfirm={leave}
    >
      {t("leave.text")}
    </ConfirmDialog>
  );
}
