import type { Channel } from "@fanfare/contract";
import {
  BellRing,
  Ellipsis,
  GalleryVerticalEnd,
  LayoutGrid,
  MessageSquareText,
  PhoneOff,
  Settings,
  VolumeX,
} from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../data/call.ts";
import { useOngoingCall } from "../data/calls.ts";
import { useCanInChannel } from "../data/groups.ts";
import { useNicknames } from "../data/members.ts";
import { usePerson } from "../people/members/user-name.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Avatar } from "../ui/display.tsx";
import { Menu } from "../ui/menu.tsx";
import { openConfirm } from "../ui/open-dialog.tsx";
import { settingsPath } from "../routes.ts";
import { showFailure, showToast, Spinner } from "../ui/feedback.tsx";
import { LargeControls } from "./call-controls.tsx";
import { setCallSettings, useCallSettings } from "./call-settings.ts";
import { type CurrentCall, useCurrentCall } from "./call-store.ts";
import { type InvitedState, useRings } from "./call-host.tsx";
import { Pictures } from "./call-tiles.tsx";

interface CallViewProps {
  channel: Channel;
  /** Whether it takes the place of the messages. */
  isFull: boolean;
  onFull: (isFull: boolean) => void;
}

/** The pictures of the call that the user is in, and its controls. */
export function CallView(props: CallViewProps) {
  const { t } = useTranslation("calls");
  const { channel, isFull, onFull } = props;
  const current = useCurrentCall();
  const layout = useCallSettings((settings) => settings.layout);
  useNicknames(channel.groupId);
  const view = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that joined the call is gone.
    if (document.activeElement === document.body) view.current?.focus();
  }, []);
  if (current === null) return null;
  const { status, session } = current;
  return (
    <section
      ref={view}
      tabIndex={-1}
      aria-label={t("view")}
      className={cx(
        "relative flex outline-none min-h-0 flex-col gap-3 border-b border-line bg-sidebar p-3",
        isFull ? "flex-1" : "h-[46%] shrink-0",
      )}
    >
      <div className="flex min-h-0 flex-1 flex-col">
        {session === null ? (
          <div className="m-auto flex items-center gap-2.5 text-muted">
            <Spinner />
            <span role="status">{t("status.joining")}</span>
          </div>
        ) : (
          <Pictures room={session.room} channel={channel} />
        )}
      </div>
      {status === "reconnecting" && (
        <p
          role="status"
          className="absolute inset-x-0 top-5 mx-auto flex w-fit items-center gap-2 rounded-full bg-tooltip px-3 py-1 text-sm font-medium text-on-tooltip"
        >
          <Spinner size={16} />
          {t("status.reconnecting")}
        </p>
      )}
      <SoundBlocked current={current} />
      <InvitedPeople channel={channel} />
      <div className="flex flex-wrap items-center justify-center gap-2">
        <LargeControls />
        <span className="flex gap-1 md:absolute md:end-3 md:bottom-4">
          <IconButton
            icon={layout === "grid" ? GalleryVerticalEnd : LayoutGrid}
            label={layout === "grid" ? t("layout.speaker") : t("layout.grid")}
            onClick={() => setCallSettings({ layout: layout === "grid" ? "speaker" : "grid" })}
          />
          <IconButton
            icon={MessageSquareText}
            label={isFull ? t("showMessages") : t("hideMessages")}
            pressed={!isFull}
            onClick={() => onFull(!isFull)}
          />
          <MoreMenu channel={channel} />
        </span>
      </div>
    </section>
  );
}

/** Those whom the user has rung, and who aren't in the call. */
function InvitedPeople({ channel: { id, groupId } }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const callId = useOngoingCall(id)?.id ?? "";
  const invited = useRings((rings) => rings.invited[callId]);
  const people = Object.entries(invited ?? {});
  if (people.length === 0) return null;
  return (
    <ul
      aria-label={t("invited.label")}
      aria-live="polite"
      className="flex max-h-20 flex-wrap justify-center gap-2 overflow-y-auto"
    >
      {people.map(([userId, state]) => (
        <InvitedPerson key={userId} userId={userId} groupId={groupId} state={state} />
      ))}
    </ul>
  );
}

interface InvitedPersonProps {
  userId: string;
  groupId: string | null;
  state: InvitedState;
}

function InvitedPerson({ userId, groupId, state }: InvitedPersonProps) {
  const { t } = useTranslation("calls");
  const { name, avatarUrl } = usePerson(userId, groupId);
  return (
    <li className="flex min-w-0 items-center gap-2 rounded-full bg-selected py-1 ps-1 pe-3 text-sm">
      <Avatar name={name} id={userId} src={avatarUrl} size={24} />
      <span className="truncate font-medium">{name}</span>
      <span className="shrink-0 text-muted">{t(`invited.${state}`)}</span>
    </li>
  );
}

function MoreMenu({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const call = useCall();
  const [, navigate] = useLocation();
  const { id: channelId, groupId, memberIds } = channel;
  const count = useOngoingCall(channelId)?.participantCount ?? 0;
  const canManage = useCanInChannel(channel, "manageChannels");
  const ring = async () => {
    await call("call.ring", { channelId });
    showToast({ text: t("ringing"), tone: "good" });
  };
  const end = () =>
    openConfirm({
      danger: true,
      title: t("end.title"),
      children: t("end.text"),
      action: t("end.action"),
      onConfirm: () => call("call.end", { channelId }),
    });
  return (
    <Menu
      side="top"
      trigger={<IconButton icon={Ellipsis} label={t("more")} />}
      items={[
        groupId === null &&
          count < memberIds.length && {
            label: t("ringAgain"),
            icon: BellRing,
            onSelect: () => void ring().catch(showFailure),
          },
        { label: t("deviceSettings"), icon: Settings, onSelect: () => navigate(settingsPath("calls")) },
        (groupId === null || canManage) && {
          label: t("end.action"),
          icon: PhoneOff,
          danger: true,
          onSelect: end,
        },
      ]}
    />
  );
}

/** Browsers play no sound on pages that the user hasn't clicked yet. */
function SoundBlocked({ current: { isSoundBlocked, session } }: { current: CurrentCall }) {
  const { t } = useTranslation("calls");
  if (!isSoundBlocked || session === null) return null;
  return (
    <Button
      variant="primary"
      icon={VolumeX}
      className="mx-auto"
      onClick={() => void session.startSound().catch(showFailure)}
    >
      {t("startSound")}
    </Button>
  );
}
