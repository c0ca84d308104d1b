import {
  Headphones,
  HeadphoneOff,
  type LucideIcon,
  Mic,
  MicOff,
  PhoneOff,
  ScreenShare,
  ScreenShareOff,
  Video,
  VideoOff,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { isApple, keysOf, SHORTCUTS, type ShortcutName } from "../app/shortcuts/shortcuts.ts";
import { useIsMutedByModerator } from "../data/calls.ts";
import { useServerCache } from "../data/data-context.ts";
import { IconButton, Tooltip } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { leaveCall, toggleCamera, toggleDeafened, toggleMicrophone, toggleScreen } from "./calls.tsx";
import { useCurrentCall } from "./call-store.ts";

const canShare = (): boolean => "getDisplayMedia" in (navigator.mediaDevices ?? {});

interface Control {
  id: string;
  icon: LucideIcon;
  label: string;
  onClick: () => unknown;
  /** What is off stands out, because others don't hear the user. */
  tone?: "off" | "on";
  disabled?: boolean;
  shortcut?: ShortcutName;
}

function useControls(): Control[] {
  const { t } = useTranslation("calls");
  const current = useCurrentCall();
  const isMutedByModerator = useIsMutedByModerator(current?.channelId ?? "");
  if (current === null) return [];
  const { isMicrophoneOn, isDeafened, isCameraOn, isScreenShared, session } = current;
  const { canSpeak, canShowVideo, canShareScreen } = current;
  const isWaiting = session === null;
  const cannotSpeak = isMutedByModerator ? t("mutedByModerator") : t("cannotSpeak");
  const controls: (Control | false)[] = [
    {
      id: "microphone",
      icon: isMicrophoneOn ? Mic : MicOff,
      label: canSpeak ? (isMicrophoneOn ? t("mute") : t("unmute")) : cannotSpeak,
      onClick: toggleMicrophone,
      ...(!isMicrophoneOn && { tone: "off" as const }),
      disabled: isWaiting || !canSpeak,
      shortcut: "callMicrophone",
    },
    {
      id: "deafen",
      icon: isDeafened ? HeadphoneOff : Headphones,
      label: isDeafened ? t("undeafen") : t("deafen"),
      onClick: toggleDeafened,
      ...(isDeafened && { tone: "off" as const }),
      disabled: isWaiting,
      shortcut: "callDeafen",
    },
    {
      id: "camera",
      icon: isCameraOn ? Video : VideoOff,
      label: canShowVideo ? (isCameraOn ? t("cameraOff") : t("cameraOn")) : t("cannotShowVideo"),
      onClick: toggleCamera,
      ...(isCameraOn && { tone: "on" as const }),
      disabled: isWaiting || !canShowVideo,
      shortcut: "callCamera",
    },
    canShare() && {
      id: "screen",
      icon: isScreenShared ? ScreenShareOff : ScreenShare,
      label: canShareScreen ? (isScreenShared ? t("stopSharing") : t("shareScreen")) : t("cannotShareScreen"),
      onClick: toggleScreen,
      ...(isScreenShared && { tone: "on" as const }),
      disabled: isWaiting || !canShareScreen,
    },
  ];
  return controls.filter((control) => control !== false);
}

interface SmallControlsProps {
  /** Where there is little room. */
  onlyMicrophone?: boolean;
}

/** In the bar of the sidebar. */
export function SmallControls({ onlyMicrophone = false }: SmallControlsProps) {
  const controls = useControls();
  return (onlyMicrophone ? controls.slice(0, 1) : controls).map(
    ({ id, tone, shortcut, disabled = false, onClick, ...control }) => (
      <IconButton
        key={id}
        {...control}
        aria-disabled={disabled}
        onClick={() => !disabled && onClick()}
        {...(shortcut && { keys: keysFor(shortcut) })}
        className={cx(
          !onlyMicrophone && "flex-1",
          tone === "off" && "text-danger-text",
          tone === "on" && "text-good",
          disabled && "opacity-50",
        )}
      />
    ),
  );
}

const keysFor = (name: ShortcutName): string[] => keysOf(SHORTCUTS[name].combos[0], isApple());

/** Below the pictures of the call. */
export function LargeControls() {
  const { t } = useTranslation("calls");
  const cache = useServerCache();
  const controls = useControls();
  return (
    <>
      {controls.map(({ id, icon: Icon, label, tone, onClick, disabled, shortcut }) => (
        <Tooltip key={id} text={shortcut === undefined ? label : `${label} (${keysFor(shortcut).join(" ")})`}>
          <button
            type="button"
            aria-label={label}
            // Not `disabled`: then no one could read why, and a focused button would lose the focus.
            aria-disabled={disabled ?? false}
            onClick={() => disabled !== true && onClick()}
            className={cx(
              "flex size-11 shrink-0 items-center justify-center rounded-full transition-colors aria-disabled:opacity-50",
              tone === "off"
                ? "bg-danger-soft text-danger-text hover:bg-hover"
                : tone === "on"
                  ? "bg-accent-soft text-accent-text hover:bg-hover"
                  : "bg-selected text-text hover:bg-hover",
            )}
          >
            <Icon size={20} aria-hidden />
          </button>
        </Tooltip>
      ))}
      <Tooltip text={t("leave")}>
        <button
          type="button"
          aria-label={t("leave")}
          onClick={() => void leaveCall(cache)}
          className="flex h-11 w-14 shrink-0 items-center justify-center rounded-full bg-danger text-on-danger transition-colors hover:bg-danger-hover"
        >
          <PhoneOff size={20} aria-hidden />
        </button>
      </Tooltip>
    </>
  );
}
