import type { Channel } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { directPath } from "../../../routes.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";

interface LeaveDirectDialogProps {
  channel: Channel;
  title: string;
  onClose: () => void;
}

export function LeaveDirectDialog({ channel, title, onClose }: LeaveDirectDialogProps) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const me = useMe();
  const [path, navigate] = useLocation();
  const leave = async () => {
    await call("channel.removeFromDirect", { channelId: channel.id, userId: me.id });
    if (path === directPath(channel.id)) navigate(directPath());
  };
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={t("leave.title", { title })}
      action={t("leave.action")}
      onConfirm={leave}
    >
      {channel.memberIds.length === 1 ? t("leave.last") : t("leave.text")}
    </ConfirmDialog>
  );
}
