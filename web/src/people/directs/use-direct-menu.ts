import type { ChannelState } from "@fanfare/contract";
import { Bell, CheckCheck, LogOut, Pencil, UserPlus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { directPath } from "../../routes.ts";
import { errorText } from "../../shared/use-action.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { OpenDirectDialog } from "./direct-dialog.ts";
import { useDirect } from "./use-direct.ts";

export interface DirectMenu {
  items: MenuItem[];
  /** Puts it out of the list. */
  close: () => void;
}

/** What can be done with a direct channel. */
export function useDirectMenu(channel: ChannelState, onOpen: OpenDirectDialog): DirectMenu {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [path, navigate] = useLocation();
  const { otherId } = useDirect(channel);
  const { id: channelId, head, lastReadSeq } = channel;
  const failed = (error: unknown): void => showToast({ text: errorText(error), tone: "danger" });
  const close = (): void => {
    call("channel.closeDirect", { channelId }).catch(failed);
    if (path === directPath(channelId)) navigate(directPath());
  };
  const isGroup = channel.kind === "groupDirect";
  const items: (MenuItem | false)[] = [
    {
      label: t("menu.markRead"),
      icon: CheckCheck,
      disabled: head.seq <= lastReadSeq,
      onSelect: () => void call("channel.markRead", { channelId, seq: head.seq }).catch(failed),
    },
    {
      label: t("menu.notifications"),
      icon: Bell,
      onSelect: () => onOpen({ kind: "notifications", channel }),
    },
    isGroup
      ? { label: t("menu.add"), icon: UserPlus, onSelect: () => onOpen({ kind: "add", channel }) }
      : otherId !== null && {
          label: t("menu.startGroup"),
          icon: UserPlus,
          onSelect: () => onOpen({ kind: "create", userIds: [otherId] }),
        },
    isGroup && {
      label: t("menu.rename"),
      icon: Pencil,
      onSelect: () => onOpen({ kind: "rename", channel }),
    },
    "separator",
    { label: t("menu.close"), icon: X, onSelect: close },
    isGroup && {
      label: t("menu.leave"),
      icon: LogOut,
      danger: true,
      onSelect: () => onOpen({ kind: "leave", channel }),
    },
  ];
  return { items: items.filter((item) => item !== false), close };
}
