import { PERMISSIONS, type PermissionName, mayGrant } from "@fanfare/contract/permissions";
import { useTranslation } from "react-i18next";
import { Switch } from "../../../ui/choices.tsx";
import { PERMISSION_GROUPS } from "../permission-groups.ts";

interface PermissionSwitchesProps {
  /** Bits. */
  value: number;
  onChange: (value: number) => void;
  /** What the user may: nobody gives or takes what he lacks. */
  own: number;
  disabled?: boolean;
  /** Those that are always on. */
  always?: readonly PermissionName[];
}

/** What a role may, each with what it means. */
export function PermissionSwitches({ value, onChange, own, disabled, always = [] }: PermissionSwitchesProps) {
  const { t } = useTranslation("group-settings");
  return PERMISSION_GROUPS.map(({ textKey, names }) => (
    <section key={textKey} className="grid gap-4">
      <h3 className="border-b border-line pb-1.5 text-sm font-semibold text-muted">{t(textKey)}</h3>
      {names.map((name) => {
        const bit = PERMISSIONS[name];
        const isAlways = always.includes(name);
        const lacks = !mayGrant(own, bit);
        return (
          <Switch
            key={name}
            label={t(`permission.${name}`)}
            hint={
              isAlways
                ? t("roles.always")
                : lacks && disabled !== true
                  ? `${t(`permissionHint.${name}`)} ${t("youLackThis")}`
                  : t(`permissionHint.${name}`)
            }
            checked={isAlways || (value & bit) !== 0}
            disabled={disabled === true || isAlways || lacks}
            onChange={(isOn) => onChange(isOn ? value | bit : value & ~bit)}
          />
        );
      })}
    </section>
  ));
}
