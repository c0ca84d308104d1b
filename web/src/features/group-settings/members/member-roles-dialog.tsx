import type { Group } from "@fanfare/contract";
import { mayGrant } from "@fanfare/permissions/hierarchy";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useMember } from "../../../data/members.ts";
import { useRoles } from "../../../data/roles.ts";
import { groupSettingsPath } from "../../../routes.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { RoleName } from "../role-name.tsx";
import type { OwnAuthority } from "../use-authority.ts";

interface MemberRolesDialogProps {
  group: Group;
  userId: string;
  name: string;
  authority: OwnAuthority;
  onClose: () => void;
}

/** The roles of a member. Each choice holds at once; those that one may not give are there and cannot be changed. */
export function MemberRolesDialog({ group, userId, name, authority, onClose }: MemberRolesDialogProps) {
  const { t } = useTranslation("group-settings");
  const { data: roles } = useRoles(group.id);
  const held = useMember(group.id, userId).data?.roleIds ?? [];
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <Dialog open onClose={onClose} size="sm" title={t("members.rolesOf", { name })}>
      {roles?.length === 0 && (
        <p className="text-muted">
          {t("members.noRoles")}{" "}
          <Link
            href={groupSettingsPath(group.id, "roles")}
            className="font-medium text-accent-text underline"
          >
            {t("members.makeRole")}
          </Link>
        </p>
      )}
      {roles?.map((role) => {
        const isAbove = !authority.mayTouchRole(role);
        const lacks = !mayGrant(authority.permissions, role.permissions);
        return (
          <Checkbox
            key={role.id}
            label={<RoleName role={role} />}
            hint={isAbove ? t("roles.above") : lacks ? t("roles.lacks") : undefined}
            checked={held.includes(role.id)}
            disabled={busy || isAbove || lacks}
            onChange={(isOn) =>
              void run(() =>
                call(isOn ? "role.assign" : "role.unassign", {
                  groupId: group.id,
                  userId,
                  roleId: role.id,
                }),
              )
            }
          />
        );
      })}
      <ErrorNote text={error} />
    </Dialog>
  );
}
