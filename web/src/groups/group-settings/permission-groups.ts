import { CHANNEL_PERMISSIONS, PERMISSIONS, type PermissionName } from "@fanfare/contract/permissions";

interface PermissionGroup {
  textKey: string;
  names: readonly PermissionName[];
}

/** All that can be granted, as it is shown. */
export const PERMISSION_GROUPS: readonly PermissionGroup[] = [
  {
    textKey: "group-settings:permissionGroup.take",
    names: ["view", "sendMessages", "attachFiles", "addReactions", "mentionEveryone", "createInvites"],
  },
  {
    textKey: "group-settings:permissionGroup.moderate",
    names: ["manageMessages", "muteMembers", "kickMembers", "banMembers", "manageInvites", "viewAuditLog"],
  },
  {
    textKey: "group-settings:permissionGroup.manage",
    names: ["manageChannels", "manageRoles", "manageWebhooks", "manageGroup"],
  },
];

/** What a channel can allow or deny by itself. */
export const CHANNEL_PERMISSION_NAMES: readonly PermissionName[] = PERMISSION_GROUPS.flatMap(
  ({ names }) => names,
).filter((name) => (PERMISSIONS[name] & CHANNEL_PERMISSIONS) !== 0);
