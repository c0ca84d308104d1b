import type { Group, Role } from "@fanfare/contract";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { RoleName } from "../role-name.tsx";
import type { OwnAuthority } from "../use-authority.ts";
import { RoleForm } from "./role-form.tsx";
import { RoleMembers } from "./role-members.tsx";

interface RoleEditorProps {
  group: Group;
  role: Role;
  authority: OwnAuthority;
}

/** What a role is called and may, and who has it. */
export function RoleEditor({ group, role, authority }: RoleEditorProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const [tab, setTab] = useState<"role" | "members">("role");
  const [isDeleting, setDeleting] = useState(false);
  const mayTouch = authority.mayTouchRole(role);
  return (
    <div className="grid content-start gap-4">
      <header className="flex items-center justify-between gap-3">
        <h2 className="min-w-0 text-lg font-semibold">
          <RoleName role={role} />
        </h2>
        {mayTouch && (
          <Button
            size="sm"
            variant="danger-ghost"
            icon={<Trash2 size={16} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            {t("roles.delete")}
          </Button>
        )}
      </header>
      {!mayTouch && <p className="rounded-md bg-sidebar px-3 py-2 text-sm">{t("roles.above")}</p>}
      <Tabs
        label={role.name}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: "role",
            label: t("roles.settings"),
            content: <RoleForm role={role} own={authority.permissions} disabled={!mayTouch} />,
          },
          {
            value: "members",
            label: t("roles.members"),
            content: <RoleMembers group={group} role={role} authority={authority} />,
          },
        ]}
      />
      <ConfirmDialog
        open={isDeleting}
        danger
        onClose={() => setDeleting(false)}
        title={t("roles.deleteTitle", { name: role.name })}
        action={t("roles.delete")}
        onConfirm={() => call("role.delete", { groupId: group.id, roleId: role.id })}
      >
        {t("roles.deleteText")}
      </ConfirmDialog>
    </div>
  );
}
