import i18next from "i18next";
import { useEffect, useRef } from "react";
import { navigate } from "wouter/use-browser-location";
import { useBlocked } from "../../data/account.ts";
import type { ServerCache } from "../../data/cache.ts";
import { useServerCache } from "../../data/data-context.ts";
import { useNotificationSettings } from "../../data/notifications.ts";
import { useOwnStatus } from "../../data/presence.ts";
import { useUnreadChannels } from "../../data/unread.ts";
import { inboxPath } from "../../routes.ts";
import { usePreferences } from "../../state/preferences.ts";
import { showToast } from "../../ui/toast.tsx";
import { claim } from "./claim.ts";
import { describeNotice } from "./describe-notice.ts";
import { hearMessages, type Notice, type Wishes } from "./hear-messages.ts";
import { hintOnce } from "./hint.ts";
import { playSound } from "./sound.ts";
import { closeNotifications, showSystemNotification } from "./system-notification.ts";

/** Tabs that nobody looks at leave it so long to the one that somebody does. */
const LEAVE_IT_MS = 250;

/** Tells of messages that the user wants to hear of: within the page, or by the system while nobody looks at it. */
export function Notifier() {
  const cache = useServerCache();
  const { data: settings } = useNotificationSettings();
  const { data: blocked } = useBlocked();
  const { data: status } = useOwnStatus();
  const { data: unread } = useUnreadChannels();
  const wasUnread = useRef<ReadonlySet<string>>(new Set());
  const wishes = useRef<Wishes>({ areKnown: false, blockedIds: [], doNotDisturb: false });
  useEffect(() => {
    wishes.current = {
      areKnown: settings !== undefined,
      blockedIds: blocked?.map(({ id }) => id) ?? [],
      doNotDisturb: status === "doNotDisturb",
    };
  }, [settings, blocked, status]);
  useEffect(
    () =>
      hearMessages(
        cache,
        () => wishes.current,
        (notice) => void tell(cache, notice),
      ),
    [cache],
  );
  useEffect(() => {
    if (unread === undefined) return;
    const now = new Set(unread.map(({ channelId }) => channelId));
    const read = [...wasUnread.current].filter((id) => !now.has(id));
    wasUnread.current = now;
    if (read.length > 0) void closeNotifications(read);
  }, [unread]);
  return null;
}

async function tell(cache: ServerCache, notice: Notice): Promise<void> {
  const { message, reason } = notice;
  if (!isLookedAt()) await new Promise((done) => setTimeout(done, LEAVE_IT_MS));
  if (!(await claim(`${cache.client.user?.id} ${message.id}`))) return;
  if (isLookedAt() && isShown(notice)) return;
  const { desktopNotifications, notificationSounds } = usePreferences.getState();
  if (notificationSounds) playSound();
  const words = await describeNotice(cache, notice);
  if (!isLookedAt()) {
    if (desktopNotifications) await showSystemNotification(words);
  } else if (reason !== "any") {
    showToast({
      text: `${words.title}: ${words.body}`,
      action: { label: i18next.t("notifications:go"), onClick: () => navigate(words.path) },
    });
  }
  hintOnce();
}

/** Whether the page shows it anyway: its channel, or the inbox that it comes into. */
function isShown({ channel, reason }: Notice): boolean {
  const { pathname, search } = location;
  return `${pathname}${search}`.includes(channel.id) || (pathname === inboxPath() && reason === "mention");
}

function isLookedAt(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
