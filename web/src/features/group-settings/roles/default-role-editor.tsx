import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useForm } from "../../../ui/use-form.ts";
import type { OwnAuthority } from "../use-authority.ts";
import { PermissionSwitches } from "./permission-switches.tsx";
import { SaveBar } from "./save-bar.tsx";

/** What every member may. */
export function DefaultRoleEditor({ group, authority }: { group: Group; authority: OwnAuthority }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { permissions: group.defaultPermissions },
    submit: ({ permissions }) => call("role.setDefault", { groupId: group.id, permissions }),
  });
  return (
    <div className="grid gap-6">
      <header className="grid gap-1">
        <h2 className="text-lg font-semibold">{t("roles.everyone")}</h2>
        <p className="text-muted">{t("roles.everyoneText")}</p>
      </header>
      <PermissionSwitches
        value={form.values.permissions}
        onChange={(permissions) => form.set("permissions", permissions)}
        own={authority.permissions}
        always={["view"]}
      />
      <SaveBar form={form} />
    </div>
  );
}
