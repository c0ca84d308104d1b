import type { Group, Member, User } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Ban, Crown, Ellipsis, Mic, MicOff, Shield, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useRoles } from "../../../data/roles.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { useNow } from "../../../shared/use-now.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Menu } from "../../../ui/menu.tsx";
import type { MenuItem } from "../../../ui/menu-item.ts";
import { showToast } from "../../../ui/toast.tsx";
import { RoleName } from "../role-name.tsx";
import type { OwnAuthority } from "../use-authority.ts";
import { userName } from "../user-name.ts";
import type { MemberDialogKind } from "./member-dialog.ts";

interface MemberRowProps {
  group: Group;
  member: Member;
  user: User | undefined;
  authority: OwnAuthority;
  onOpen: (kind: MemberDialogKind) => void;
}

const MAX_ROLES_SHOWN = 3;

/** A member with roles, and a menu of what one may do about them. */
export function MemberRow({ group, member, user, authority, onOpen }: MemberRowProps) {
  const { t } = useTranslation("group-settings");
  const { date, dateTime } = useFormats();
  const now = useNow();
  const roles = useRoles(group.id).data?.filter(({ id }) => member.roleIds.includes(id)) ?? [];
  const items = useMemberMenu(group, member, user?.kind === "member", authority, onOpen);
  const mutedUntil = member.mutedUntil === null ? 0 : Date.parse(member.mutedUntil);
  const isMuted = mutedUntil > now;
  const facts = [
    user?.username === null || user === undefined ? null : `@${user.username}`,
    t("members.since", { date: date(Date.parse(member.joinedAt)) }),
    isMuted ? t("members.mutedUntil", { time: dateTime(mutedUntil) }) : null,
  ].filter((fact) => fact !== null);
  return (
    <ListRow
      leading={<Avatar id={member.userId} name={user?.nickname ?? ""} src={user?.avatarUrl} />}
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate">{userName(user)}</span>
          {member.userId === group.ownerId && <Badge tone="accent">{t("members.owner")}</Badge>}
          {user?.kind === "bot" && <Badge>{t("members.bot")}</Badge>}
          {user?.kind === "guest" && <Badge>{t("members.guest")}</Badge>}
          {isMuted && <Badge tone="warn">{t("members.muted")}</Badge>}
          {roles.slice(0, MAX_ROLES_SHOWN).map((role) => (
            <Badge key={role.id}>
              <RoleName role={role} />
            </Badge>
          ))}
          {roles.length > MAX_ROLES_SHOWN && <Badge>+{roles.length - MAX_ROLES_SHOWN}</Badge>}
        </span>
      }
      subtitle={<span className="whitespace-normal">{facts.join(" · ")}</span>}
      trailing={
        items.length > 0 && (
          <Menu
            items={items}
            trigger={<IconButton icon={Ellipsis} label={t("moreAbout", { name: userName(user) })} />}
          />
        )
      }
    />
  );
}

function useMemberMenu(
  group: Group,
  member: Member,
  /** Neither a guest nor a bot. */
  isAccount: boolean,
  authority: OwnAuthority,
  onOpen: (kind: MemberDialogKind) => void,
): MenuItem[] {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const now = useNow();
  const { groupId, userId, mutedUntil } = member;
  const mayTouch = authority.mayTouchMember(member);
  const may = (name: Parameters<typeof hasPermission>[1]): boolean =>
    mayTouch && hasPermission(authority.permissions, name);
  const isMuted = mutedUntil !== null && Date.parse(mutedUntil) > now;
  const unmute = () =>
    call("group.unmute", { groupId, userId }).catch((error: unknown) =>
      showToast({ text: errorText(error), tone: "danger" }),
    );
  // Roles can be given to oneself too: those below one's own highest.
  const mayGiveRoles =
    hasPermission(authority.permissions, "manageRoles") &&
    (mayTouch || userId === me.id || authority.isOwner);
  const items: (MenuItem | false)[] = [
    mayGiveRoles && { label: t("members.roles"), icon: Shield, onSelect: () => onOpen("roles") },
    may("muteMembers") &&
      (isMuted
        ? { label: t("members.unmute"), icon: Mic, onSelect: () => void unmute() }
        : { label: t("members.mute"), icon: MicOff, onSelect: () => onOpen("mute") }),
    authority.isOwner &&
      isAccount &&
      userId !== me.id && {
        label: t("members.transfer"),
        icon: Crown,
        onSelect: () => onOpen("transfer"),
      },
    may("kickMembers") && {
      label: t("members.kick"),
      icon: UserMinus,
      danger: true,
      onSelect: () => onOpen("kick"),
    },
    may("banMembers") && {
      label: t("members.ban"),
      icon: Ban,
      danger: true,
      onSelect: () => onOpen("ban"),
    },
  ];
  return items.filter((item) => item !== false);
}
