import type { Role } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Switch } from "../../../ui/switch.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { ColorField } from "./color-field.tsx";
import { PermissionSwitches } from "./permission-switches.tsx";
import { SaveBar } from "./save-bar.tsx";

interface RoleFormProps {
  role: Role;
  /** What the user may: bits. */
  own: number;
  disabled: boolean;
}

export function RoleForm({ role, own, disabled }: RoleFormProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { groupId, id: roleId, name, color, mentionable, permissions } = role;
  const form = useForm({
    initial: { name, color, mentionable, permissions },
    submit: (values) => call("role.update", { groupId, roleId, ...values }),
  });
  const { values, set } = form;
  return (
    <div className="grid gap-6">
      <TextField
        label={t("roles.name")}
        maxLength={LIMITS.roleNameMaxChars}
        autoComplete="off"
        disabled={disabled}
        {...form.field("name")}
      />
      <ColorField value={values.color} onChange={(next) => set("color", next)} disabled={disabled} />
      <Switch
        label={t("roles.mentionable")}
        hint={t("roles.mentionableHint")}
        checked={values.mentionable}
        disabled={disabled}
        onChange={(next) => set("mentionable", next)}
      />
      <PermissionSwitches
        value={values.permissions}
        onChange={(next) => set("permissions", next)}
        own={own}
        disabled={disabled}
      />
      <SaveBar form={form} disabled={values.name.trim() === ""} />
    </div>
  );
}
