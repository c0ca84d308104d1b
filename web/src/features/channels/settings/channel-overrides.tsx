import type { ChannelState, Group, Override } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { mayGrant } from "@fanfare/permissions/hierarchy";
import { Lock, LockOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useOverrides } from "../../../data/overrides.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { CHANNEL_PERMISSION_NAMES } from "../../group-settings/permission-groups.ts";
import { useAuthority } from "../../group-settings/use-authority.ts";
import { stanceOf, targetKey, withStance } from "./override-bits.ts";
import { OverrideTargets } from "./override-targets.tsx";
import { StanceSwitch } from "./stance-switch.tsx";

interface ChannelOverridesProps {
  group: Group;
  channel: ChannelState;
  /** Of the user in the channel. */
  permissions: number;
}

const EVERYONE: Override = { target: { type: "everyone" }, allow: 0, deny: 0 };

/** What a channel allows and denies, to everyone, to roles and to members. Each change holds at once. */
export function ChannelOverrides({ group, channel, permissions }: ChannelOverridesProps) {
  const { t } = useTranslation("channels");
  const { data, error: loadError, refetch } = useOverrides(channel.id);
  const authority = useAuthority(group);
  const call = useCall();
  const { error, run } = useAction();
  const [chosen, setChosen] = useState<Override["target"]>(EVERYONE.target);
  if (data === undefined) {
    return loadError === null ? (
      <SkeletonRows />
    ) : (
      <ErrorNote text={errorText(loadError)} onRetry={() => void refetch()} />
    );
  }
  const current = data.find(({ target }) => targetKey(target) === targetKey(chosen)) ?? {
    ...EVERYONE,
    target: chosen,
  };
  const change = ({ target, allow, deny }: Override) =>
    run(() =>
      allow === 0 && deny === 0
        ? call("channel.removeOverride", { channelId: channel.id, target })
        : call("channel.setOverride", { channelId: channel.id, target, allow, deny }),
    );
  const everyone = data.find(({ target }) => target.type === "everyone") ?? EVERYONE;
  const isHidden = stanceOf(everyone, "view") === "deny";
  const mayHide = mayGrant(permissions, PERMISSIONS.view);
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sidebar px-4 py-3">
        <p className="flex items-center gap-2.5">
          {isHidden ? <Lock size={18} aria-hidden /> : <LockOpen size={18} aria-hidden />}
          {isHidden ? t("overrides.isPrivate") : t("overrides.isOpen")}
        </p>
        {mayHide && (
          <Button
            size="sm"
            onClick={() => void change(withStance(everyone, "view", isHidden ? "inherit" : "deny"))}
          >
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
          mayTouchRole={authority.mayTouchRole}
        />
        <div className="min-w-0">
          <ErrorNote text={error} />
          {CHANNEL_PERMISSION_NAMES.map((name) => (
            <StanceSwitch
              key={name}
              label={t(`group-settings:permission.${name}`)}
              hint={
                mayGrant(permissions, PERMISSIONS[name])
                  ? t(`group-settings:permissionHint.${name}`)
                  : t("group-settings:youLackThis")
              }
              value={stanceOf(current, name)}
              disabled={!mayGrant(permissions, PERMISSIONS[name])}
              onChange={(stance) => void change(withStance(current, name, stance))}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
