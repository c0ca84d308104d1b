import type { Role } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Ban, Check } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { cx } from "../../../ui/cx.ts";
import { Switch } from "../../../ui/choices.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { colorText } from "../role-name.tsx";
import { PermissionSwitches } from "./permission-switches.tsx";
import { SaveBar } from "./save-bar.tsx";

const COLORS = [
  0xd9480f, 0xe67700, 0x5c940d, 0x2b8a3e, 0x0b7285, 0x1864ab, 0x364fc7, 0x5f3dc4, 0x862e9c, 0xa61e4d,
];

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

interface ColorFieldProps {
  /** RGB; null: none. */
  value: number | null;
  onChange: (color: number | null) => void;
  disabled: boolean;
}

/** One of some colours, any other one, or none. */
function ColorField({ value, onChange, disabled }: ColorFieldProps) {
  const { t } = useTranslation("group-settings");
  const id = useId();
  const isOwn = value !== null && !COLORS.includes(value);
  const swatch = "flex size-8 items-center justify-center rounded-full disabled:opacity-50";
  return (
    <div role="group" aria-labelledby={id} className="grid gap-2">
      <span id={id} className="text-sm font-medium">
        {t("roles.color")}
      </span>
      <div className="flex flex-wrap items-center gap-2">
        <button
          type="button"
          aria-label={t("roles.noColor")}
          aria-pressed={value === null}
          disabled={disabled}
          onClick={() => onChange(null)}
          className={cx(swatch, "border border-line-strong text-muted aria-pressed:bg-selected")}
        >
          <Ban size={16} aria-hidden />
        </button>
        {COLORS.map((color) => (
          <button
            key={color}
            type="button"
            aria-label={t("roles.colorOf", { color: colorText(color) })}
            aria-pressed={value === color}
            disabled={disabled}
            onClick={() => onChange(color)}
            className={cx(swatch, "text-on-avatar")}
            style={{ backgroundColor: colorText(color) }}
          >
            {value === color && <Check size={16} strokeWidth={3} aria-hidden />}
          </button>
        ))}
        <input
          type="color"
          aria-label={t("roles.otherColor")}
          disabled={disabled}
          value={colorText(value ?? 0x888888)}
          onChange={({ target }) => onChange(Number.parseInt(target.value.slice(1), 16))}
          className={cx(
            "size-8 cursor-pointer rounded-md border bg-field p-0.5",
            isOwn ? "border-accent" : "border-line-strong",
          )}
        />
      </div>
    </div>
  );
}
