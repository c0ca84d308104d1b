import { PhoneOff, SignalHigh, SignalLow, SignalZero, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useServerCache } from "../data/data-context.ts";
import { useChannelState } from "../data/groups.ts";
import { useDirect } from "../people/directs/use-direct.tsx";
import { placePath } from "../routes.ts";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Spinner } from "../ui/feedback.tsx";
import { SmallControls } from "./call-controls.tsx";
import type { CallQuality, CurrentCall } from "./call-store.ts";
import { leaveCall } from "./calls.tsx";

const QUALITIES: Record<CallQuality, { icon: LucideIcon; color: string }> = {
  good: { icon: SignalHigh, color: "text-good" },
  unknown: { icon: SignalHigh, color: "text-good" },
  poor: { icon: SignalLow, color: "text-warn-text" },
  lost: { icon: SignalZero, color: "text-danger-text" },
};

/** At the bottom of the sidebar during a call: the call goes on while the user is on other pages. */
export function CallBar({ current }: { current: CurrentCall }) {
  const { t } = useTranslation("calls");
  return (
    <section
      aria-label={t("bar.label")}
      className="grid shrink-0 gap-1 border-t border-line px-2 pt-2 pb-1 text-sm"
    >
      <div className="flex items-center gap-1">
        <CallLink current={current} />
        <LeaveButton />
      </div>
      <div className="flex gap-1">
        <SmallControls />
      </div>
    </section>
  );
}

/** On phones, where the sidebar is out of view. */
export function PhoneCallBar({ current }: { current: CurrentCall }) {
  const { t } = useTranslation("calls");
  const [path] = useLocation();
  // The channel itself shows the call.
  if (path === placePath(current.groupId, current.channelId)) return null;
  return (
    <section
      aria-label={t("bar.label")}
      className="flex shrink-0 items-center gap-1 border-b border-line bg-sidebar px-2 py-1 text-sm"
    >
      <CallLink current={current} />
      <SmallControls onlyMicrophone />
      <LeaveButton />
    </section>
  );
}

function LeaveButton() {
  const { t } = useTranslation("calls");
  const cache = useServerCache();
  return (
    <IconButton icon={PhoneOff} label={t("leave")} variant="danger" onClick={() => void leaveCall(cache)} />
  );
}

function CallLink({ current: { channelId, groupId, status, quality } }: { current: CurrentCall }) {
  const { t } = useTranslation("calls");
  const { icon: Icon, color } = QUALITIES[quality];
  const isConnected = status === "connected";
  return (
    <Link
      href={placePath(groupId, channelId)}
      className="flex min-h-control min-w-0 flex-1 items-center gap-2 rounded-md px-2 leading-tight -outline-offset-2 hover:bg-hover"
    >
      {isConnected ? (
        <Icon size={18} aria-hidden className={cx("shrink-0", color)} />
      ) : (
        <Spinner size={18} className="shrink-0 text-warn-text" />
      )}
      <span className="grid min-w-0">
        <span role="status" className={cx("truncate font-semibold", isConnected ? color : "text-warn-text")}>
          {isConnected ? t(`quality.${quality}`) : t(`status.${status}`)}
        </span>
        <span className="truncate text-xs text-muted">
          <PlaceName channelId={channelId} />
        </span>
      </span>
    </Link>
  );
}

/** The name of a channel or direct message. */
function PlaceName({ channelId }: { channelId: string }) {
  const { data: channel } = useChannelState(channelId);
  const direct = useDirect(channel);
  if (channel === undefined) return "…";
  return channel.groupId === null ? direct.title : channel.name;
}
