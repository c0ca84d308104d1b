import type { Group, Member, Role } from "@fanfare/contract";
import {
  NO_PERMISSIONS,
  type Authority,
  canManageMember,
  canManageRole,
  hasPermission,
} from "@fanfare/contract/permissions";
import { useMe } from "../../data/me.ts";
import { useMember } from "../../data/members.ts";
import { useMyPermissions, useRoles } from "../../data/groups.ts";
import { cx } from "../../ui/cx.ts";
import { colorText } from "../../shared/formats.ts";
import { Ban, Crown, Mic, MicOff, Pencil, Shield, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useNow } from "../../shared/hooks.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { isMutedNow } from "../channels/mute.ts";
import { closeProfile } from "../../people/members/people-store.tsx";
import { lazyWithTexts } from "../../shared/later.tsx";
import { showFailure } from "../../ui/feedback.tsx";
import { openDialog } from "../../ui/open-dialog.tsx";

export interface OwnAuthority {
  /** In the group, as bits. */
  permissions: number;
  isOwner: boolean;
  canManageRole: (role: Role) => boolean;
  canManageMember: (member: Member) => boolean;
}

/** Which roles and members the user can manage, by role order. The server checks it again. */
export function useAuthority(group: Group): OwnAuthority {
  const me = useMe();
  const roles = useRoles(group.id).data ?? [];
  const own = useMember(group.id, me.id).data;
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const authorityOf = (userId: string, roleIds: readonly string[]): Authority => ({
    userId,
    isOwner: userId === group.ownerId,
    roles: roles.filter(({ id }) => roleIds.includes(id)),
  });
  const actor = authorityOf(me.id, own?.roleIds ?? []);
  return {
    permissions,
    isOwner: actor.isOwner,
    canManageRole: (role) => canManageRole(actor, role),
    canManageMember: ({ userId, roleIds }) => canManageMember(actor, authorityOf(userId, roleIds)),
  };
}

/** The color is shown as a dot, because colored text might not be readable. */
export function RoleName({ role }: { role: Pick<Role, "name" | "color"> }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <span
        aria-hidden
        className={cx("size-2.5 shrink-0 rounded-full", role.color === null && "bg-line-strong")}
        style={role.color === null ? undefined : { backgroundColor: colorText(role.color) }}
      />
      <span className="truncate">{role.name}</span>
    </span>
  );
}

export type MemberDialogKind = "nickname" | "roles" | "mute" | "kick" | "ban" | "transfer";

// Loaded when the first of them is opened.
const MemberDialogs = lazyWithTexts(async () => (await import("./members/member-dialogs.tsx")).MemberDialogs);

export function useMemberMenu(
  group: Group,
  member: Member,
  /** Neither a guest nor a bot. */
  isAccount: boolean,
  authority: OwnAuthority,
): MenuItem[] {
  const { t } = useTranslation("groups");
  const call = useCall();
  const me = useMe();
  const { groupId, userId } = member;
  const open = (kind: MemberDialogKind) => {
    closeProfile();
    openDialog((onClose) => <MemberDialogs kind={kind} group={group} member={member} onClose={onClose} />);
  };
  const canTouch = authority.canManageMember(member);
  const can = (name: Parameters<typeof hasPermission>[1]): boolean =>
    canTouch && hasPermission(authority.permissions, name);
  const isMuted = isMutedNow(member, useNow());
  const unmute = () => call("group.unmute", { groupId, userId }).catch(showFailure);
  // Members can also assign roles below their highest one to themselves.
  const canGiveRoles =
    hasPermission(authority.permissions, "manageRoles") &&
    (canTouch || userId === me.id || authority.isOwner);
  const canName =
    userId === me.id ? hasPermission(authority.permissions, "changeNickname") : can("manageNicknames");
  const items: (MenuItem | false)[] = [
    canName && { label: t("members.nickname"), icon: Pencil, onSelect: () => open("nickname") },
    canGiveRoles && { label: t("common:roles"), icon: Shield, onSelect: () => open("roles") },
    can("muteMembers") &&
      (isMuted
        ? { label: t("members.unmute"), icon: Mic, onSelect: () => void unmute() }
        : { label: t("moderate.mute.action"), icon: MicOff, onSelect: () => open("mute") }),
    authority.isOwner &&
      isAccount &&
      userId !== me.id && {
        label: t("danger.transfer"),
        icon: Crown,
        onSelect: () => open("transfer"),
      },
    can("kickMembers") && {
      label: t("members.kick"),
      icon: UserMinus,
      danger: true,
      onSelect: () => open("kick"),
    },
    can("banMembers") && {
      label: t("members.ban"),
      icon: Ban,
      danger: true,
      onSelect: () => open("ban"),
    },
  ];
  return items.filter((item) => item !== false);
}
