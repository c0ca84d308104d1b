import { Phone, PhoneOff, Video } from "lucide-react";
import { useEffect } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useChannelState } from "../data/groups.ts";
import { useCall } from "../data/call.ts";
import { useOwnStatus } from "../data/presence.ts";
import {
  closeNotifications,
  isPageActive,
  showSystemNotification,
  playNotes,
  type Note,
} from "../inbox/notifications/notifier.tsx";
import { usePerson } from "../people/members/user-name.tsx";
import { useDirect } from "../people/directs/use-direct.tsx";
import { placePath } from "../routes.ts";
import { useIsShown } from "../shared/hooks.ts";
import { usePreferences } from "../state/preferences.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Avatar } from "../ui/display.tsx";
import { showFailure } from "../ui/feedback.tsx";
import { endRing, type Ring, useRings } from "./call-host.tsx";
import { useJoin } from "./call-store.ts";

const RING_EVERY_MS = 2500;
const RING: readonly Note[] = [
  { hertz: 587, atS: 0 },
  { hertz: 784, atS: 0.16 },
  { hertz: 587, atS: 0.32 },
  { hertz: 784, atS: 0.48 },
];
/** Incoming calls, on all pages. They don't take the focus, because the user may be writing. */
export function RingCards() {
  const rings = useRings(({ rings: all }) => all);
  // Outside of the page, which can't be used while a dialog is open.
  return createPortal(
    <div className="fixed inset-x-3 top-[calc(env(safe-area-inset-top)+0.75rem)] z-60 mx-auto grid max-h-[80dvh] max-w-sm gap-2 overflow-y-auto max-md:top-auto max-md:bottom-[max(0.75rem,env(safe-area-inset-bottom))]">
      {rings.map((ring) => (
        <RingCard key={ring.callId} ring={ring} />
      ))}
    </div>,
    document.body,
  );
}

function RingCard({ ring: { callId, channelId, fromUserId, isAudible } }: { ring: Ring }) {
  const { t } = useTranslation("calls");
  const call = useCall();
  const join = useJoin();
  const [, navigate] = useLocation();
  const { data: channel } = useChannelState(channelId);
  const direct = useDirect(channel);
  const groupId = channel?.groupId ?? null;
  const { name, avatarUrl } = usePerson(fromUserId, groupId);
  const isOfTwo = channel?.kind === "direct";
  const place =
    channel === undefined || isOfTwo ? null : groupId === null ? direct.title : `#${channel.name}`;
  const path = placePath(groupId, channelId);
  useRinging({ isAudible, title: t("ring.from", { name }), callId, path });
  const decline = () => {
    endRing(callId);
    call("call.decline", { channelId }).catch(showFailure);
  };
  const accept = (withCamera: boolean) => {
    endRing(callId);
    join({ id: channelId, groupId }, { withCamera, onJoined: () => navigate(path), onCancel: decline });
  };
  return (
    <section
      data-ring
      aria-label={t("ring.from", { name })}
      className="grid animate-arrive gap-4 rounded-lg border border-line bg-raised p-4 shadow-raised"
    >
      <div className="flex items-center gap-3">
        <span className="flex rounded-full ring-2 ring-good">
          <Avatar name={name} id={fromUserId} src={avatarUrl} size={44} />
        </span>
        <div className="grid min-w-0 leading-tight">
          <p className="truncate font-semibold">{name}</p>
          <p className="truncate text-sm text-muted">
            {place === null ? t("ring.title") : t("ring.titleIn", { place })}
          </p>
          <Announcement text={t("ring.from", { name })} />
        </div>
      </div>
      <div className="flex gap-2">
        <Button variant="danger" icon={PhoneOff} className="flex-1" onClick={decline}>
          {t("members:action.decline")}
        </Button>
        <Button variant="primary" icon={Phone} className="flex-1" onClick={() => accept(false)}>
          {t("ring.accept")}
        </Button>
        <IconButton icon={Video} label={t("ring.acceptWithVideo")} onClick={() => accept(true)} />
      </div>
    </section>
  );
}

/** The live region exists before its text; otherwise screen readers wouldn't announce it. */
function Announcement({ text }: { text: string }) {
  const isShown = useIsShown();
  return (
    <p role="alert" className="sr-only">
      {isShown && text}
    </p>
  );
}

interface Ringing {
  isAudible: boolean;
  title: string;
  callId: string;
  path: string;
}

/** The sound, if the user has turned sounds on, and a system notification while the page is in the background. */
function useRinging({ isAudible, title, callId, path }: Ringing): void {
  const { t } = useTranslation("calls");
  const body = t("ring.title");
  const hasSounds = usePreferences(({ notificationSounds }) => notificationSounds);
  const { data: status } = useOwnStatus();
  const isWanted = isAudible && status !== "doNotDisturb";
  useEffect(() => {
    if (!hasSounds || !isWanted) return undefined;
    playNotes(RING);
    const timer = setInterval(() => playNotes(RING), RING_EVERY_MS);
    return () => clearInterval(timer);
  }, [hasSounds, isWanted]);
  useEffect(() => {
    if (!isWanted || isPageActive() || !usePreferences.getState().desktopNotifications) return;
    void showSystemNotification({ title, body, tag: callId, path });
  }, [title, body, callId, path, isWanted]);
  // Answered on any device, or over.
  useEffect(() => () => void closeNotifications([callId]), [callId]);
}
