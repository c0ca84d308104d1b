import type { Role } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Ban, Check } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useHasCalls } from "../../../session/server-meta.ts";
import { cx } from "../../../ui/cx.ts";
import { Switch } from "../../../ui/choices.tsx";
import { TextField, useForm, type FormState } from "../../../ui/form.tsx";
import { colorText } from "../../../shared/formats.ts";
import {
  CHANNEL_PERMISSIONS,
  PERMISSIONS,
  type PermissionName,
  canGrant,
} from "@fanfare/contract/permissions";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";

const COLORS = [
  0xd9480f, 0xe67700, 0x5c940d, 0x2b8a3e, 0x0b7285, 0x1864ab, 0x364fc7, 0x5f3dc4, 0x862e9c, 0xa61e4d,
];

interface RoleFormProps {
  role: Role;
  /** The user's permissions, as bits. */
  own: number;
  disabled: boolean;
}

export function RoleForm({ role, own, disabled }: RoleFormProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { groupId, id: roleId, name, color, mentionable, permissions } = role;
  const form = useForm({
    initial: { name, color, mentionable, ...flagsOf(permissions) },
    submit: ({ name, color, mentionable, ...flags }) =>
      call("role.update", {
        groupId,
        roleId,
        name,
        color,
        mentionable,
        permissions: bitsOf(flags, permissions),
      }),
  });
  const { values, set } = form;
  return (
    <div className="grid gap-6">
      <TextField
        label={t("roles.name")}
        maxLength={LIMITS.roleNameMaxChars}
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
      <PermissionSwitches flags={values} onChange={set} own={own} disabled={disabled} />
      <SaveBar form={form} disabled={values.name.trim() === ""} />
    </div>
  );
}

interface ColorFieldProps {
  /** RGB; null for none. */
  value: number | null;
  onChange: (color: number | null) => void;
  disabled: boolean;
}

function ColorField({ value, onChange, disabled }: ColorFieldProps) {
  const { t } = useTranslation("group-settings");
  const id = useId();
  const isOwn = value !== null && !COLORS.includes(value);
  const swatch = "flex size-8 items-center justify-center rounded-full disabled:opacity-50";
  return (
    <div role="group" aria-labelledby={id} className="grid gap-2">
      <span id={id} className="text-sm font-medium">
        {t("audit.field.color")}
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

interface PermissionGroup {
  textKey: string;
  names: readonly PermissionName[];
}

/** Only shown if the server has calls. */
export const CALL_PERMISSION_NAMES: readonly PermissionName[] = [
  "connect",
  "speak",
  "video",
  "shareScreen",
  "moveMembers",
];

const PERMISSION_GROUPS: readonly PermissionGroup[] = [
  {
    textKey: "group-settings:permissionGroup.participate",
    names: [
      "view",
      "sendMessages",
      "attachFiles",
      "addReactions",
      "mentionEveryone",
      "createInvites",
      "changeNickname",
    ],
  },
  {
    textKey: "group-settings:permissionGroup.calls",
    names: CALL_PERMISSION_NAMES,
  },
  {
    textKey: "group-settings:permissionGroup.moderate",
    names: [
      "manageMessages",
      "muteMembers",
      "kickMembers",
      "banMembers",
      "manageNicknames",
      "manageInvites",
      "viewAuditLog",
    ],
  },
  {
    textKey: "group-settings:permissionGroup.manage",
    names: ["manageChannels", "manageRoles", "manageEmoji", "manageWebhooks", "manageGroup"],
  },
];

export const CHANNEL_PERMISSION_NAMES: readonly PermissionName[] = PERMISSION_GROUPS.flatMap(
  ({ names }) => names,
).filter((name) => (PERMISSIONS[name] & CHANNEL_PERMISSIONS) !== 0);

/** One field per permission, so that a form takes over what others change in the meantime. */
type PermissionFlags = Record<PermissionName, boolean>;

const ALL = Object.entries(PERMISSIONS) as [PermissionName, number][];

export function flagsOf(permissions: number): PermissionFlags {
  return Object.fromEntries(ALL.map(([name, bit]) => [name, (permissions & bit) !== 0])) as PermissionFlags;
}

/** @param before the stored permissions: those that only a newer server knows are kept */
export function bitsOf(flags: PermissionFlags, before: number): number {
  return ALL.reduce((bits, [name, bit]) => (flags[name] ? bits | bit : bits & ~bit), before);
}

interface PermissionSwitchesProps {
  flags: PermissionFlags;
  onChange: (name: PermissionName, isOn: boolean) => void;
  /** The user's permissions. Members can't grant or revoke permissions that they lack. */
  own: number;
  disabled?: boolean;
  always?: readonly PermissionName[];
}

export function PermissionSwitches({ flags, onChange, own, disabled, always = [] }: PermissionSwitchesProps) {
  const { t } = useTranslation("group-settings");
  const hasCalls = useHasCalls();
  return PERMISSION_GROUPS.filter(({ names }) => hasCalls || names !== CALL_PERMISSION_NAMES).map(
    ({ textKey, names }) => (
      <section key={textKey} className="grid gap-4">
        <h3 className="border-b border-line pb-1.5 text-sm font-semibold text-muted">{t(textKey)}</h3>
        {names.map((name) => {
          const isAlways = always.includes(name);
          const lacks = !canGrant(own, PERMISSIONS[name]);
          return (
            <Switch
              key={name}
              label={t(`permission.${name}`)}
              hint={
                isAlways
                  ? t("roles.always")
                  : lacks && disabled !== true
                    ? `${t(`permissionHint.${name}`)} ${t("cannotGrant")}`
                    : t(`permissionHint.${name}`)
              }
              checked={isAlways || flags[name]}
              disabled={disabled === true || isAlways || lacks}
              onChange={(isOn) => onChange(name, isOn)}
            />
          );
        })}
      </section>
    ),
  );
}

interface SaveBarProps {
  // oxlint-disable-next-line typescript/no-explicit-any -- accepts forms of any type
  form: Pick<FormState<any>, "changed" | "busy" | "error" | "onSubmit" | "reset">;
  disabled?: boolean;
}

/** Sticks to the bottom of a long form while there are unsaved changes. */
export function SaveBar({ form, disabled = false }: SaveBarProps) {
  const { t } = useTranslation("group-settings");
  if (!form.changed) return null;
  return (
    <div className="sticky bottom-3 z-10 grid gap-2 rounded-lg border border-line bg-raised p-3 shadow-raised">
      <ErrorNote text={form.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 px-1 text-sm">{t("unsaved")}</p>
        <Button size="sm" onClick={() => form.reset()}>
          {t("common:discard")}
        </Button>
        <Button
          size="sm"
          variant="primary"
          busy={form.busy}
          disabled={disabled}
          onClick={() => form.onSubmit()}
        >
          {t("common:save")}
        </Button>
      </div>
    </div>
  );
}
