import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Phone, Video, Volume2 } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Faces } from "../channel/threads/thread-activity.tsx";
import { focusComposer } from "../composer/field.ts";
import { useOngoingCall } from "../data/calls.ts";
import { useHasCalls } from "../session/server-meta.ts";
import { useCanInChannel, useChannelPermissions } from "../data/groups.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { later } from "../shared/later.tsx";
import { useIsPhone } from "../ui/hooks.ts";
import { useIsInCall, useSpeakers, useJoin } from "./call-store.ts";

const CallView = later(async () => (await import("./call-view.tsx")).CallView);

const MAX_FACES = 5;

interface CallAreaProps {
  channel: Channel;
  /** The messages. */
  children: ReactNode;
}

/** The call of a channel, above its messages or instead of them. */
export function CallArea({ channel, children }: CallAreaProps) {
  const isInCall = useIsInCall(channel.id);
  const hasCalls = useHasCalls();
  const isPhone = useIsPhone();
  const [isFull, setFull] = useState<boolean | null>(null);
  const isVoice = channel.kind === "voice";
  const wasInCall = useRef(isInCall);
  useEffect(() => {
    // The button that left the call is gone.
    if (wasInCall.current && !isInCall && document.activeElement === document.body) focusComposer(channel.id);
    wasInCall.current = isInCall;
  }, [isInCall, channel.id]);
  const isFullNow = isInCall && (isFull ?? (isVoice || isPhone));
  // The messages keep their place, so that they stay mounted.
  return (
    <>
      {hasCalls &&
        (isInCall ? (
          <CallView channel={channel} isFull={isFullNow} onFull={setFull} />
        ) : isVoice ? (
          <Lobby channel={channel} />
        ) : (
          <OngoingCall channel={channel} />
        ))}
      {!isFullNow && children}
    </>
  );
}

/** Whether the user can join calls in this channel. */
function useCanJoin(channel: Channel): boolean {
  const permissions = useChannelPermissions(channel);
  return useHasCalls() && hasPermission(permissions, "connect");
}

function useFaces(channelId: string): readonly string[] {
  const call = useOngoingCall(channelId);
  return useMemo(() => call?.participants.slice(0, MAX_FACES).map(({ userId }) => userId) ?? [], [call]);
}

/** Of a voice channel, for those who aren't in it. */
function Lobby({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const join = useJoin();
  const canJoin = useCanJoin(channel);
  const count = useOngoingCall(channel.id)?.participantCount ?? 0;
  const faces = useFaces(channel.id);
  const speakers = useSpeakers(channel.id);
  return (
    <section
      aria-label={t("view")}
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-3 border-b border-line bg-sidebar px-4 py-4 md:px-5"
    >
      <span className="flex size-11 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent-text">
        <Volume2 size={22} aria-hidden />
      </span>
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="truncate font-semibold">{channel.name}</p>
        <p className="flex items-center gap-2 text-sm text-muted">
          {faces.length > 0 && <Faces userIds={faces} groupId={channel.groupId} speakers={speakers} />}
          {canJoin ? (count === 0 ? t("lobby.empty") : t("lobby.count", { count })) : t("cannotJoin")}
        </p>
      </div>
      {canJoin && (
        <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
          <Button icon={Video} onClick={() => join(channel, { withCamera: true })}>
            {t("joinWithVideo")}
          </Button>
          <Button icon={Phone} variant="primary" onClick={() => join(channel)}>
            {t("join")}
          </Button>
        </span>
      )}
    </section>
  );
}

/** In a channel whose call the user can join. */
function OngoingCall({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const call = useOngoingCall(channel.id);
  const faces = useFaces(channel.id);
  const speakers = useSpeakers(channel.id);
  const join = useJoin();
  const canJoin = useCanJoin(channel);
  if (call === undefined) return null;
  return (
    <section
      aria-label={t("view")}
      className="flex shrink-0 items-center gap-3 border-b border-line bg-good-soft px-4 py-2 text-sm md:px-5"
    >
      <Phone size={18} aria-hidden className="shrink-0 text-good" />
      <span className="flex min-w-0 flex-1 items-center gap-2.5">
        <span className="truncate font-medium">{t("ongoing", { count: call.participantCount })}</span>
        <Faces userIds={faces} groupId={channel.groupId} speakers={speakers} />
      </span>
      {canJoin && (
        <Button size="sm" variant="primary" onClick={() => join(channel)}>
          {t("join")}
        </Button>
      )}
    </section>
  );
}

/** In the header of a channel or direct message: start or join its call. */
export function CallButtons({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const join = useJoin();
  const canJoin = useCanJoin(channel);
  const isInCall = useIsInCall(channel.id);
  const canStart = useCanInChannel(channel, "sendMessages");
  const isOngoing = useOngoingCall(channel.id) !== undefined;
  // Voice channels have their own buttons below the header.
  if (!canJoin || isInCall || channel.kind === "voice") return null;
  if (!isOngoing && !canStart) return null;
  return (
    <>
      <IconButton
        icon={Phone}
        label={isOngoing ? t("join") : t("start")}
        tooltipSide="bottom"
        onClick={() => join(channel)}
      />
      <span className="max-md:hidden">
        <IconButton
          icon={Video}
          label={isOngoing ? t("joinWithVideo") : t("startWithVideo")}
          tooltipSide="bottom"
          onClick={() => join(channel, { withCamera: true })}
        />
      </span>
    </>
  );
}
