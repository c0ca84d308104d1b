import type { Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { Bell, CheckCheck, ChevronDown, FolderPlus, LogOut, Plus, Settings, UserPlus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useMyPermissions } from "../../data/permissions.ts";
import { groupSettingsPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { Menu } from "../../ui/menu.tsx";
import type { MenuItem } from "../../ui/menu-item.ts";
import { showToast } from "../../ui/toast.tsx";
import { hasGroupSettings } from "../group-settings/sections.ts";
import type { OpenDialog } from "./group-dialog.ts";

/** The name of the group, and what can be done with all of it. */
export function GroupMenu({ group, onOpen }: { group: Group; onOpen: OpenDialog }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const me = useMe();
  const [, navigate] = useLocation();
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const markRead = () =>
    call("inbox.markGroupRead", { groupId: group.id }).catch((error: unknown) =>
      showToast({ text: errorText(error), tone: "danger" }),
    );
  const items: (MenuItem | false)[] = [
    hasPermission(permissions, "createInvites") && {
      label: t("menu.invite"),
      icon: UserPlus,
      onSelect: () => onOpen({ kind: "invite" }),
    },
    hasGroupSettings(permissions) && {
      label: t("menu.settings"),
      icon: Settings,
      onSelect: () => navigate(groupSettingsPath(group.id)),
    },
    ...(hasPermission(permissions, "manageChannels")
      ? ([
          {
            label: t("menu.createChannel"),
            icon: Plus,
            onSelect: () => onOpen({ kind: "createChannel", sectionId: null }),
          },
          {
            label: t("menu.createSection"),
            icon: FolderPlus,
            onSelect: () => onOpen({ kind: "createSection" }),
          },
        ] satisfies MenuItem[])
      : []),
    "separator",
    { label: t("menu.notifications"), icon: Bell, onSelect: () => onOpen({ kind: "groupNotifications" }) },
    { label: t("menu.markRead"), icon: CheckCheck, onSelect: () => void markRead() },
    // The owner can only give the group away, or delete it: both are in the settings.
    ...(group.ownerId === me.id
      ? []
      : ([
          "separator",
          {
            label: t("menu.leave"),
            icon: LogOut,
            danger: true,
            onSelect: () => onOpen({ kind: "leave" }),
          },
        ] satisfies MenuItem[])),
  ];
  return (
    <Menu
      align="start"
      items={items.filter((item) => item !== false)}
      trigger={
        <button
          type="button"
          className="flex min-h-control min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 text-left font-semibold hover:bg-hover data-popup-open:bg-hover"
        >
          <span className="min-w-0 truncate">{group.name}</span>
          <ChevronDown size={16} aria-hidden className="shrink-0 text-muted" />
        </button>
      }
    />
  );
}
