import type { Override, Group, Role } from "@fanfare/contract";
import { PERMISSIONS, type PermissionName } from "@fanfare/contract/permissions";
import { Plus, Shield, Users } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useRoles } from "../../../data/groups.ts";
import { useUser } from "../../../data/people.ts";
import { Avatar } from "../../../ui/display.tsx";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Popover } from "../../../ui/popover.tsx";
import { MemberPicker } from "../../../people/members/pickers.tsx";
import { userName } from "../../../people/members/user-name.tsx";

export type OverrideValue = "deny" | "inherit" | "allow";

export function overrideValueOf(
  override: Pick<Override, "allow" | "deny">,
  name: PermissionName,
): OverrideValue {
  const bit = PERMISSIONS[name];
  if ((override.allow & bit) !== 0) return "allow";
  return (override.deny & bit) !== 0 ? "deny" : "inherit";
}

export function withOverrideValue<O extends Pick<Override, "allow" | "deny">>(
  override: O,
  name: PermissionName,
  stance: OverrideValue,
): O {
  const bit = PERMISSIONS[name];
  return {
    ...override,
    allow: stance === "allow" ? override.allow | bit : override.allow & ~bit,
    deny: stance === "deny" ? override.deny | bit : override.deny & ~bit,
  };
}

export function targetKey(target: Override["target"]): string {
  return target.type === "everyone" ? "everyone" : `${target.type}:${target.id}`;
}

type Target = Override["target"];

interface OverrideTargetsProps {
  group: Group;
  overrides: readonly Override[];
  chosen: Target;
  onChoose: (target: Target) => void;
  canManageRole: (role: Role) => boolean;
}

export function OverrideTargets({ group, overrides, chosen, onChoose, canManageRole }: OverrideTargetsProps) {
  const { t } = useTranslation("channels");
  const roles = useRoles(group.id).data ?? [];
  const others = overrides.map(({ target }) => target).filter(({ type }) => type !== "everyone");
  const isNew = others.every((target) => targetKey(target) !== targetKey(chosen));
  const targets: Target[] = [
    { type: "everyone" },
    ...others,
    ...(isNew && chosen.type !== "everyone" ? [chosen] : []),
  ];
  const free = roles.filter(
    (role) => canManageRole(role) && targets.every((target) => targetKey(target) !== `role:${role.id}`),
  );
  return (
    <div className="grid content-start gap-2">
      <ul className="grid gap-px" aria-label={t("overrides.targets")}>
        {targets.map((target) => (
          <li key={targetKey(target)}>
            <button
              type="button"
              aria-current={targetKey(target) === targetKey(chosen) ? "true" : undefined}
              onClick={() => onChoose(target)}
              className={cx(
                "flex min-h-row w-full items-center gap-2 rounded-md px-2 text-start text-sm font-medium -outline-offset-2",
                targetKey(target) === targetKey(chosen) ? "bg-selected" : "text-muted hover:bg-hover",
              )}
            >
              <TargetName target={target} roles={roles} />
            </button>
          </li>
        ))}
      </ul>
      <Popover
        label={t("overrides.add")}
        align="start"
        className="w-72"
        trigger={
          <Button size="sm" icon={Plus}>
            {t("overrides.add")}
          </Button>
        }
      >
        {(close) => (
          <div className="grid gap-3">
            {free.length > 0 && (
              <ul className="grid max-h-48 overflow-y-auto">
                {free.map((role) => (
                  <li key={role.id}>
                    <button
                      type="button"
                      className="flex min-h-row w-full items-center gap-2 rounded-md px-2 text-start text-sm hover:bg-hover"
                      onClick={() => {
                        onChoose({ type: "role", id: role.id });
                        close();
                      }}
                    >
                      <TargetName target={{ type: "role", id: role.id }} roles={roles} />
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <MemberPicker
              groupId={group.id}
              label={t("overrides.member")}
              value={[]}
              onChange={([id]) => {
                if (id !== undefined) onChoose({ type: "member", id });
                close();
              }}
            />
          </div>
        )}
      </Popover>
    </div>
  );
}

function TargetName({ target, roles }: { target: Target; roles: readonly Role[] }): ReactNode {
  const { t } = useTranslation("channels");
  const user = useUser(target.type === "member" ? target.id : null);
  if (target.type === "everyone") {
    return (
      <>
        <Users size={16} aria-hidden />
        {t("common:everyone")}
      </>
    );
  }
  if (target.type === "role") {
    return (
      <>
        <Shield size={16} aria-hidden />
        <span className="truncate">{roles.find(({ id }) => id === target.id)?.name ?? "–"}</span>
      </>
    );
  }
  return (
    <>
      <Avatar id={target.id} name={user?.nickname ?? ""} src={user?.avatarUrl} size={18} />
      <span className="truncate">{userName(user)}</span>
    </>
  );
}
