import type { ChannelState, Group, Override } from "@fanfare/contract";
import { PERMISSIONS, type PermissionName, canGrant } from "@fanfare/contract/permissions";
import { Lock, LockOpen, Check, type LucideIcon, Minus, X } from "lucide-react";
import { useState, useId } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useHasCalls } from "../../../session/server-meta.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useOverrides } from "../../../data/groups.ts";
import { useSave } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ErrorNote, SkeletonRows, Pending } from "../../../ui/feedback.tsx";
import { CALL_PERMISSION_NAMES, CHANNEL_PERMISSION_NAMES } from "../../group-settings/roles/role-form.tsx";
import { useAuthority } from "../../group-settings/authority.tsx";
import {
  overrideValueOf,
  targetKey,
  withOverrideValue,
  type OverrideValue,
  OverrideTargets,
} from "./override-targets.tsx";

const CHOICES: { value: OverrideValue; icon: LucideIcon; on: string }[] = [
  { value: "deny", icon: X, on: "peer-checked:bg-danger peer-checked:text-on-danger" },
  { value: "inherit", icon: Minus, on: "peer-checked:bg-selected peer-checked:text-text" },
  { value: "allow", icon: Check, on: "peer-checked:bg-good peer-checked:text-canvas" },
];

const EVERYONE: Override["target"] = { type: "everyone" };

const overrideOf = (overrides: readonly Override[], target: Override["target"]): Override =>
  overrides.find((one) => targetKey(one.target) === targetKey(target)) ?? { target, allow: 0, deny: 0 };

interface ChannelOverridesProps {
  group: Group;
  channel: ChannelState;
  /** The user's permissions in the channel. */
  permissions: number;
}

/** The channel's permission overrides for everyone, roles and members. Each change is saved at once. */
export function ChannelOverrides({ group, channel, permissions }: ChannelOverridesProps) {
  const { t } = useTranslation("channels");
  const channelId = channel.id;
  const overrides = useOverrides(channelId);
  const { data } = overrides;
  const authority = useAuthority(group);
  const call = useCall();
  const cache = useServerCache();
  const { error, save } = useSave();
  const hasCalls = useHasCalls();
  const names = CHANNEL_PERMISSION_NAMES.filter((name) => hasCalls || !CALL_PERMISSION_NAMES.includes(name));
  const [chosen, setChosen] = useState(EVERYONE);
  if (data === undefined)
    return (
      <Pending of={overrides}>
        <SkeletonRows />
      </Pending>
    );
  const current = overrideOf(data, chosen);
  const everyone = overrideOf(data, EVERYONE);
  // From what is set when it is saved: a call sets all permissions of its target.
  const change = (target: Override["target"], name: PermissionName, value: OverrideValue) => {
    const set = () => {
      const { overrides } = cache.queries.getQueryData(
        cache.query("channel.listOverrides", { channelId }).queryKey,
      )!;
      const { allow, deny } = withOverrideValue(overrideOf(overrides, target), name, value);
      return allow === 0 && deny === 0
        ? call("channel.removeOverride", { channelId, target })
        : call("channel.setOverride", { channelId, target, allow, deny });
    };
    save(set);
  };
  const isHidden = overrideValueOf(everyone, "view") === "deny";
  const canHide = canGrant(permissions, PERMISSIONS.view);
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sidebar px-4 py-3">
        <p className="flex items-center gap-2.5">
          {isHidden ? <Lock size={18} aria-hidden /> : <LockOpen size={18} aria-hidden />}
          {isHidden ? t("overrides.isPrivate") : t("overrides.isOpen")}
        </p>
        {canHide && (
          <Button size="sm" onClick={() => change(EVERYONE, "view", isHidden ? "inherit" : "deny")}>
            {isHidden ? t("overrides.open") : t("overrides.close")}
          </Button>
        )}
      </div>
      <div className="grid gap-5 md:grid-cols-[13rem_minmax(0,1fr)]">
        <OverrideTargets
          group={group}
          overrides={data}
          chosen={chosen}
          onChoose={setChosen}
          canManageRole={authority.canManageRole}
        />
        <div className="min-w-0">
          <ErrorNote text={error} />
          {names.map((name) => (
            <OverrideSwitch
              key={name}
              label={t(`group-settings:permission.${name}`)}
              hint={
                canGrant(permissions, PERMISSIONS[name])
                  ? t(`group-settings:permissionHint.${name}`)
                  : t("group-settings:cannotGrant")
              }
              value={overrideValueOf(current, name)}
              disabled={!canGrant(permissions, PERMISSIONS[name])}
              onChange={(stance) => change(chosen, name, stance)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface OverrideSwitchProps {
  label: string;
  hint: string;
  value: OverrideValue;
  onChange: (stance: OverrideValue) => void;
  disabled: boolean;
}

function OverrideSwitch({ label, hint, value, onChange, disabled }: OverrideSwitchProps) {
  const { t } = useTranslation("channels");
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex items-start justify-between gap-4 border-b border-line py-2.5 last:border-0"
    >
      <span className="grid gap-0.5">
        <span className="font-medium">{label}</span>
        <span className="text-sm text-muted">{hint}</span>
      </span>
      <span className="flex shrink-0 overflow-hidden rounded-md border border-line-strong">
        {CHOICES.map(({ value: stance, icon: Icon, on }) => (
          <label key={stance} title={t(`stance.${stance}`)} className="flex">
            <input
              type="radio"
              name={name}
              value={stance}
              checked={value === stance}
              disabled={disabled}
              onChange={() => onChange(stance)}
              className="peer sr-only"
            />
            <span
              className={cx(
                "flex h-control-sm w-9 items-center justify-center text-muted -outline-offset-2 peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-disabled:opacity-50",
                !disabled && "cursor-pointer hover:bg-hover",
                on,
              )}
            >
              <Icon size={16} aria-hidden />
              <span className="sr-only">{t(`stance.${stance}`)}</span>
            </span>
          </label>
        ))}
      </span>
    </div>
  );
}
