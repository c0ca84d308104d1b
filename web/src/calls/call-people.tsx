import type { Channel } from "@fanfare/contract";
import { Headphones, MicOff, Phone, ScreenShare, Video } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useOngoingCall, type VoiceParticipant } from "../data/calls.ts";
import { useCanInChannel } from "../data/groups.ts";
import { useNicknames } from "../data/members.ts";
import { UserPopover } from "../people/members/people-store.tsx";
import { usePerson } from "../people/members/user-name.tsx";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Avatar } from "../ui/display.tsx";
import { useIsInCall, useSpeakers, useJoin } from "./call-store.ts";

/** Below a voice channel of the sidebar: who is in it. */
export function CallPeople({ channel }: { channel: Channel }) {
  const hasPeople = (useOngoingCall(channel.id)?.participants.length ?? 0) > 0;
  return hasPeople ? <People channel={channel} /> : null;
}

function People({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const call = useOngoingCall(channel.id);
  const speakers = useSpeakers(channel.id);
  useNicknames(channel.groupId);
  if (call === undefined) return null;
  const { participants, participantCount } = call;
  const others = participantCount - participants.length;
  return (
    <ul aria-label={t("peopleIn", { channel: channel.name })} className="mb-1 ms-6 grid gap-px">
      {participants.map((participant) => (
        <Person
          key={participant.userId}
          participant={participant}
          groupId={channel.groupId}
          isSpeaking={participant.isMicrophoneOn && speakers.includes(participant.userId)}
        />
      ))}
      {others > 0 && <li className="px-2 py-1 text-xs text-muted">{t("others", { count: others })}</li>}
    </ul>
  );
}

interface PersonProps {
  participant: VoiceParticipant;
  groupId: string | null;
  isSpeaking: boolean;
}

const Person = memo(function Person({ participant, groupId, isSpeaking }: PersonProps) {
  const { t } = useTranslation("calls");
  const { userId, isMicrophoneOn, isCameraOn, isScreenShared } = participant;
  const { name, avatarUrl } = usePerson(userId, groupId);
  return (
    <li>
      <UserPopover
        userId={userId}
        groupId={groupId}
        className="flex min-h-row w-full items-center gap-2 rounded-md px-2 text-start text-sm text-muted -outline-offset-2 hover:bg-hover hover:text-text"
      >
        <span
          className={cx("flex rounded-full transition-shadow", isSpeaking && "ring-2 ring-good")}
          data-speaking={isSpeaking || undefined}
        >
          <Avatar name={name} id={userId} src={avatarUrl} size={22} />
        </span>
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {isScreenShared && <Mark icon={ScreenShare} label={t("sharesScreen")} />}
        {isCameraOn && <Mark icon={Video} label={t("hasCamera")} />}
        {!isMicrophoneOn && <Mark icon={MicOff} label={t("isMuted")} />}
      </UserPopover>
    </li>
  );
});

function Mark({ icon: Icon, label }: { icon: typeof Phone; label: string }) {
  return (
    <>
      <Icon size={14} aria-hidden className="shrink-0" />
      <span className="sr-only">{label}</span>
    </>
  );
}

/** In a row of the sidebar: that there is a call. */
export function CallMark({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const isOngoing = useOngoingCall(channel.id) !== undefined;
  if (!isOngoing) return null;
  return (
    <>
      <Phone size={13} aria-hidden className="shrink-0 text-good" />
      <span className="sr-only">{t("hasCall")}</span>
    </>
  );
}

/** In the row of a voice channel. */
export function JoinVoiceButton({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const join = useJoin();
  const canJoin = useCanInChannel(channel, "connect");
  const isInCall = useIsInCall(channel.id);
  if (!canJoin || isInCall) return null;
  return (
    <IconButton
      icon={Headphones}
      size="sm"
      label={t("joinChannel", { channel: channel.name })}
      onClick={() => join(channel)}
    />
  );
}
