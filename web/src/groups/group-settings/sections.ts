import { hasPermission, type PermissionName } from "@fanfare/contract/permissions";
import {
  Ban,
  Bot,
  ClipboardList,
  Flag,
  HardDrive,
  Hash,
  Link2,
  type LucideIcon,
  MessageSquareOff,
  Settings2,
  Shield,
  Smile,
  TriangleAlert,
  UserRoundPlus,
  Users,
  Webhook,
} from "lucide-react";

interface SettingsPart {
  id: string;
  icon: LucideIcon;
  textKey: string;
  /** The section is shown to members with any of these; if empty, to all members. */
  needs: readonly PermissionName[];
  danger?: boolean;
}

const SETTINGS_PARTS = [
  { id: "overview", icon: Settings2, textKey: "common:overview", needs: ["manageGroup"] },
  { id: "roles", icon: Shield, textKey: "common:roles", needs: ["manageRoles"] },
  {
    id: "channels",
    icon: Hash,
    textKey: "channels:list.label",
    needs: ["manageChannels", "manageRoles"],
  },
  { id: "members", icon: Users, textKey: "common:members", needs: [] },
  { id: "invites", icon: Link2, textKey: "groups:section.invites", needs: ["createInvites"] },
  {
    id: "join-requests",
    icon: UserRoundPlus,
    textKey: "groups:section.joinRequests",
    needs: ["kickMembers", "manageGroup"],
  },
  { id: "emoji", icon: Smile, textKey: "groups:section.emoji", needs: ["manageEmoji"] },
  { id: "reports", icon: Flag, textKey: "common:reports", needs: ["manageMessages"] },
  { id: "bans", icon: Ban, textKey: "groups:section.bans", needs: ["banMembers"] },
  { id: "audit-log", icon: ClipboardList, textKey: "common:auditLog", needs: ["viewAuditLog"] },
  {
    id: "filter",
    icon: MessageSquareOff,
    textKey: "groups:section.filter",
    needs: ["manageGroup"],
  },
  { id: "webhooks", icon: Webhook, textKey: "groups:section.webhooks", needs: ["manageWebhooks"] },
  { id: "bots", icon: Bot, textKey: "groups:section.bots", needs: ["manageWebhooks"] },
  { id: "storage", icon: HardDrive, textKey: "groups:section.storage", needs: ["manageGroup"] },
  {
    id: "danger",
    icon: TriangleAlert,
    textKey: "groups:section.danger",
    needs: ["ownGroup"],
    danger: true,
  },
] as const satisfies readonly SettingsPart[];

export type SettingsPartId = (typeof SETTINGS_PARTS)[number]["id"];

const isOffered = (needs: readonly PermissionName[], permissions: number): boolean =>
  needs.length === 0 || needs.some((name) => hasPermission(permissions, name));

export function settingsPartsFor(permissions: number): (typeof SETTINGS_PARTS)[number][] {
  return SETTINGS_PARTS.filter(({ needs }) => isOffered(needs, permissions));
}

/** Whether the user sees more than the sections that all members have. */
export function hasGroupSettings(permissions: number): boolean {
  return SETTINGS_PARTS.some(
    ({ id, needs }) => id !== "members" && id !== "invites" && isOffered(needs, permissions),
  );
}
