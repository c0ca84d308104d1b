import type { ChannelState } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { ArrowDown, ArrowUp, Bell, CheckCheck, Link2, Settings, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useChannelPermissions } from "../../data/permissions.ts";
import { channelPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import type { MenuItem } from "../../ui/menu-item.ts";
import { showToast } from "../../ui/toast.tsx";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { copyText } from "../../shared/copy-text.ts";
import type { Reorder } from "./use-reorder.ts";

/** What can be done with a channel of the list. */
export function useChannelMenu(channel: ChannelState, reorder: Reorder, onOpen: OpenDialog): MenuItem[] {
  const { t } = useTranslation("channels");
  const call = useCall();
  const permissions = useChannelPermissions(channel);
  const mayManage = hasPermission(permissions, "manageChannels");
  const mayEdit =
    mayManage || hasPermission(permissions, "manageRoles") || hasPermission(permissions, "manageWebhooks");
  const failed = (error: unknown): void => showToast({ text: errorText(error), tone: "danger" });
  const markRead = () =>
    call("channel.markRead", { channelId: channel.id, seq: channel.head.seq }).catch(failed);
  const copyLink = async () => {
    const link = new URL(channelPath(channel.groupId!, channel.id), location.origin).href;
    showToast((await copyText(link)) ? { text: t("linkCopied"), tone: "good" } : { text: link });
  };
  return [
    {
      label: t("menu.markRead"),
      icon: CheckCheck,
      disabled: channel.head.seq <= channel.lastReadSeq,
      onSelect: () => void markRead(),
    },
    {
      label: t("menu.notifications"),
      icon: Bell,
      onSelect: () => onOpen({ kind: "channelNotifications", channel }),
    },
    { label: t("menu.copyLink"), icon: Link2, onSelect: () => void copyLink() },
    ...(reorder.mayMove
      ? ([
          "separator",
          {
            label: t("menu.moveUp"),
            icon: ArrowUp,
            shortcut: "Alt ↑",
            onSelect: () => reorder.step(channel, -1),
          },
          {
            label: t("menu.moveDown"),
            icon: ArrowDown,
            shortcut: "Alt ↓",
            onSelect: () => reorder.step(channel, 1),
          },
        ] satisfies MenuItem[])
      : []),
    ...(mayEdit
      ? ([
          "separator",
          {
            label: t("menu.edit"),
            icon: Settings,
            onSelect: () => onOpen({ kind: "editChannel", channel }),
          },
        ] satisfies MenuItem[])
      : []),
    ...(mayManage
      ? ([
          {
            label: t("menu.delete"),
            icon: Trash2,
            danger: true,
            onSelect: () => onOpen({ kind: "deleteChannel", channel }),
          },
        ] satisfies MenuItem[])
      : []),
  ];
}
