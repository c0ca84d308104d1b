import type { Group, Role } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { canGrant } from "@fanfare/contract/permissions";
import { Plus, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMemberSearch } from "../../../data/members.ts";
import { useRoles } from "../../../data/groups.ts";
import { useAction } from "../../../shared/use-action.ts";
import { PagedRows } from "../../../shared/paged-list.tsx";
import { Avatar } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { ErrorNote, SkeletonRows, Pending } from "../../../ui/feedback.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useForm } from "../../../ui/form.tsx";
import { MemberPicker } from "../../../people/members/pickers.tsx";
import { RoleName, useAuthority, type OwnAuthority } from "../authority.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { bitsOf, flagsOf, PermissionSwitches, RoleForm, SaveBar } from "./role-form.tsx";
import { RoleList } from "./role-list.tsx";

export function RolesPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const query = useRoles(group.id);
  const { data: roles } = query;
  const authority = useAuthority(group);
  const call = useCall();
  const creation = useAction();
  const [chosenId, setChosenId] = useState<string | null>(null);
  if (roles === undefined)
    return (
      <Pending of={query}>
        <SkeletonRows />
      </Pending>
    );
  const chosen = roles.find(({ id }) => id === chosenId);
  const create = () =>
    creation.run(async () => {
      const { role } = await call("role.create", { groupId: group.id, name: t("roles.newName") });
      setChosenId(role.id);
    });
  return (
    <div className="grid gap-5">
      <p className="text-muted">{t("roles.text")}</p>
      <div className="grid gap-6 md:grid-cols-[14rem_minmax(0,1fr)]">
        <div className="grid content-start gap-3">
          <Button
            icon={Plus}
            busy={creation.busy}
            disabled={roles.length >= LIMITS.rolesPerGroup}
            onClick={() => void create()}
          >
            {t("roles.create")}
          </Button>
          <ErrorNote text={creation.error} />
          <RoleList
            groupId={group.id}
            roles={roles}
            chosenId={chosen?.id ?? null}
            onChoose={setChosenId}
            authority={authority}
          />
        </div>
        {chosen === undefined ? (
          <DefaultRoleEditor group={group} authority={authority} />
        ) : (
          <RoleEditor key={chosen.id} group={group} role={chosen} authority={authority} />
        )}
      </div>
    </div>
  );
}

function DefaultRoleEditor({ group, authority }: { group: Group; authority: OwnAuthority }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: flagsOf(group.defaultPermissions),
    submit: (flags) =>
      call("role.setDefault", { groupId: group.id, permissions: bitsOf(flags, group.defaultPermissions) }),
  });
  return (
    <div className="grid gap-6">
      <header className="grid gap-1">
        <h2 className="text-lg font-semibold">{t("common:everyone")}</h2>
        <p className="text-muted">{t("roles.everyoneText")}</p>
      </header>
      <PermissionSwitches
        flags={form.values}
        onChange={form.set}
        own={authority.permissions}
        always={["view"]}
      />
      <SaveBar form={form} />
    </div>
  );
}

interface RoleEditorProps {
  group: Group;
  role: Role;
  authority: OwnAuthority;
}

function RoleEditor({ group, role, authority }: RoleEditorProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const [tab, setTab] = useState<"role" | "members">("role");
  const canTouch = authority.canManageRole(role);
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("roles.deleteTitle", { name: role.name }),
      children: t("roles.deleteText"),
      action: t("roles.delete"),
      onConfirm: () => call("role.delete", { groupId: group.id, roleId: role.id }),
    });
  return (
    <div className="grid content-start gap-4">
      <header className="flex items-center justify-between gap-3">
        <h2 className="min-w-0 text-lg font-semibold">
          <RoleName role={role} />
        </h2>
        {canTouch && (
          <Button size="sm" variant="danger-ghost" icon={Trash2} onClick={remove}>
            {t("roles.delete")}
          </Button>
        )}
      </header>
      {!canTouch && <p className="rounded-md bg-sidebar px-3 py-2 text-sm">{t("roles.tooHigh")}</p>}
      <Tabs
        label={role.name}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: "role",
            label: t("common:settings"),
            content: <RoleForm role={role} own={authority.permissions} disabled={!canTouch} />,
          },
          {
            value: "members",
            label: t("common:members"),
            content: <RoleMembers group={group} role={role} authority={authority} />,
          },
        ]}
      />
    </div>
  );
}

interface RoleMembersProps {
  group: Group;
  role: Role;
  authority: OwnAuthority;
}

/** The loaded members with the role. */
function RoleMembers({ group, role, authority }: RoleMembersProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const { found, members } = useMemberSearch(group.id, "");
  const holders = found.filter(({ member }) => member.roleIds.includes(role.id));
  const canGive = authority.canManageRole(role) && canGrant(authority.permissions, role.permissions);
  const change = (name: "role.assign" | "role.unassign", userId: string) =>
    void run(() => call(name, { groupId: group.id, roleId: role.id, userId }));
  return (
    <div className="grid gap-4">
      {canGive ? (
        <MemberPicker
          groupId={group.id}
          label={t("roles.assign")}
          value={[]}
          onChange={([userId]) => userId !== undefined && change("role.assign", userId)}
        />
      ) : (
        <p className="text-sm text-muted">{t("roles.cannotAssign")}</p>
      )}
      <ErrorNote text={error} />
      <PagedRows
        pages={{ ...members, data: members.data && holders }}
        empty={<p className="text-muted">{t("roles.noMembers")}</p>}
      >
        {({ member: { userId }, user }) => (
          <ListRow
            key={userId}
            leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} />}
            title={userName(user)}
            trailing={
              canGive && (
                <IconButton
                  icon={X}
                  label={t("roles.unassign", { name: userName(user) })}
                  disabled={busy}
                  onClick={() => change("role.unassign", userId)}
                />
              )
            }
          />
        )}
      </PagedRows>
    </div>
  );
}
