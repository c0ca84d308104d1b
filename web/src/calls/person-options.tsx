import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { type LucideIcon, Mic, MicOff, PhoneOff, Pin, PinOff, Volume2 } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useOngoingCall } from "../data/calls.ts";
import { useChannelPermissions, useChannels } from "../data/groups.ts";
import { cx } from "../ui/cx.ts";
import { showFailure } from "../ui/feedback.tsx";
import { Select } from "../ui/select.tsx";
import { setVolume, useVolume } from "./call-settings.ts";

interface PersonOptionsProps {
  userId: string;
  name: string;
  isOwn: boolean;
  isScreen: boolean;
  channel: Channel;
  isPinned: boolean;
  onPin: () => void;
  onDone: () => void;
}

/** What can be done about a picture of a call: its place, its volume, and what moderators can do. */
export function PersonOptions({ isOwn, isScreen, isPinned, onPin, ...rest }: PersonOptionsProps) {
  const { t } = useTranslation("calls");
  return (
    <div className="grid gap-2">
      {!isOwn && <VolumeField userId={rest.userId} name={rest.name} />}
      <div className="grid">
        <Option
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? t("unpin") : t("pin")}
          onClick={() => onPin()}
        />
        {!isOwn && !isScreen && <Moderation {...rest} />}
      </div>
    </div>
  );
}

interface OptionProps {
  icon: LucideIcon;
  label: string;
  danger?: boolean;
  onClick: () => void;
}

function Option({ icon: Icon, label, danger = false, onClick }: OptionProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        "flex min-h-row items-center gap-2.5 rounded-sm px-2 text-start text-sm -outline-offset-2",
        danger ? "text-danger-text hover:bg-danger-soft" : "hover:bg-hover",
      )}
    >
      <Icon size={16} aria-hidden className={cx("shrink-0", !danger && "text-muted")} />
      {label}
    </button>
  );
}

function VolumeField({ userId, name }: Pick<PersonOptionsProps, "userId" | "name">) {
  const { t } = useTranslation("calls");
  const id = useId();
  const volume = useVolume(userId);
  return (
    <div className="grid gap-1 px-2">
      <label htmlFor={id} className="flex items-center gap-2 text-sm font-medium">
        <Volume2 size={16} aria-hidden className="text-muted" />
        {t("volumeOf", { name })}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={volume}
        aria-valuetext={`${Math.round(volume * 100)} %`}
        onChange={(event) => setVolume(userId, Number(event.target.value))}
        className="w-full accent-accent"
      />
    </div>
  );
}

type ModerationProps = Pick<PersonOptionsProps, "userId" | "channel" | "onDone">;

function Moderation({ userId, channel, onDone }: ModerationProps) {
  const { t } = useTranslation("calls");
  const call = useCall();
  const permissions = useChannelPermissions(channel);
  const participants = useOngoingCall(channel.id)?.participants ?? [];
  const isMuted = participants.some((one) => one.userId === userId && one.isMutedByModerator);
  const { id: channelId, groupId } = channel;
  const run = (working: Promise<unknown>) => {
    working.catch(showFailure);
    onDone();
  };
  if (groupId === null) return null;
  const canMove = hasPermission(permissions, "moveMembers");
  return (
    <>
      {hasPermission(permissions, "muteMembers") && (
        <Option
          icon={isMuted ? Mic : MicOff}
          label={isMuted ? t("unmuteThem") : t("muteThem")}
          onClick={() => run(call("call.muteMember", { channelId, userId, isMuted: !isMuted }))}
        />
      )}
      {canMove && (
        <MoveField
          groupId={groupId}
          channelId={channelId}
          onMove={(toChannelId) => run(call("call.moveMember", { channelId, userId, toChannelId }))}
        />
      )}
      {canMove && (
        <Option
          icon={PhoneOff}
          danger
          label={t("disconnect")}
          onClick={() => run(call("call.moveMember", { channelId, userId, toChannelId: null }))}
        />
      )}
    </>
  );
}

interface MoveFieldProps {
  groupId: string;
  channelId: string;
  onMove: (toChannelId: string) => void;
}

function MoveField({ groupId, channelId, onMove }: MoveFieldProps) {
  const { t } = useTranslation("calls");
  const others =
    useChannels(groupId).data?.filter(({ kind, id }) => kind === "voice" && id !== channelId) ?? [];
  if (others.length === 0) return null;
  return (
    <div className="px-2 py-1">
      <Select
        hideLabel
        label={t("moveTo")}
        value=""
        onChange={(chosen) => chosen !== "" && onMove(chosen)}
        options={[
          { value: "", label: t("moveTo") },
          ...others.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </div>
  );
}
