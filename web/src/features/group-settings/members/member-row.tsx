import type { Group, Member, User } from "@fanfare/contract";
import { Ellipsis } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useRoles } from "../../../data/roles.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { useNow } from "../../../shared/use-now.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { RoleName } from "../role-name.tsx";
import type { OwnAuthority } from "../use-authority.ts";
import { userName } from "../user-name.ts";
import type { MemberDialogKind } from "./member-dialog.ts";
import { useMemberMenu } from "./use-member-menu.ts";

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
