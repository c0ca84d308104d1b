import type { Group, Role } from "@fanfare/contract";
import { mayGrant } from "@fanfare/permissions/hierarchy";
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMemberSearch } from "../../../data/member-search.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { MemberPicker } from "../member-picker.tsx";
import { MoreButton } from "../more-button.tsx";
import type { OwnAuthority } from "../use-authority.ts";
import { userName } from "../user-name.ts";

interface RoleMembersProps {
  group: Group;
  role: Role;
  authority: OwnAuthority;
}

/** Who has a role, as far as the members are loaded; to give it and to take it. */
export function RoleMembers({ group, role, authority }: RoleMembersProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const { found, members } = useMemberSearch(group.id, "");
  const holders = found.filter(({ member }) => member.roleIds.includes(role.id));
  const mayGive = authority.mayTouchRole(role) && mayGrant(authority.permissions, role.permissions);
  const change = (name: "role.assign" | "role.unassign", userId: string) =>
    void run(() => call(name, { groupId: group.id, roleId: role.id, userId }));
  return (
    <div className="grid gap-4">
      {mayGive ? (
        <MemberPicker
          groupId={group.id}
          label={t("roles.give")}
          value={[]}
          onChange={([userId]) => userId !== undefined && change("role.assign", userId)}
        />
      ) : (
        <p className="text-sm text-muted">{t("roles.lacks")}</p>
      )}
      <ErrorNote text={error} />
      {holders.length === 0 && <p className="text-muted">{t("roles.nobody")}</p>}
      <ul className="grid gap-px">
        {holders.map(({ member: { userId }, user }) => (
          <li key={userId}>
            <ListRow
              leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} />}
              title={userName(user)}
              trailing={
                mayGive && (
                  <IconButton
                    icon={X}
                    label={t("roles.take", { name: userName(user) })}
                    disabled={busy}
                    onClick={() => change("role.unassign", userId)}
                  />
                )
              }
            />
          </li>
        ))}
      </ul>
      <MoreButton pages={members} />
    </div>
  );
}
