import type { Channel } from "@fanfare/contract";
import { Eye, EyeOff, LogIn, LogOut, Star, StarOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useServerCache } from "../../data/data-context.ts";
import { useNotificationSetting } from "../../data/inbox.ts";
import { showFailure, showToast } from "../../ui/feedback.tsx";
import type { MenuItem } from "../../ui/menu.tsx";

/** Adds a channel or direct message to the user's favorites, or removes it. */
export function useToggleFavorite(): (channelId: string) => void {
  const { t } = useTranslation("channels");
  const { store } = useServerCache();
  const call = useCall();
  const toggle = async (channelId: string) => {
    // The shortcut can be pressed before.
    if (!store.isLoaded("notification.list", {})) await store.load("notification.list", {});
    const favorite = store.state.notifications?.[channelId]?.favorite !== true;
    await call("notification.set", { channelId, favorite, ...(favorite && { hidden: false }) });
    showToast({ text: favorite ? t("favorites.added") : t("favorites.removed"), tone: "good" });
  };
  return (channelId) => void toggle(channelId).catch(showFailure);
}

export function useFavoriteItem(channelId: string): MenuItem {
  const { t } = useTranslation("channels");
  const isFavorite = useNotificationSetting({ channelId })?.favorite === true;
  const toggle = useToggleFavorite();
  return {
    label: isFavorite ? t("favorites.remove") : t("favorites.add"),
    icon: isFavorite ? StarOff : Star,
    onSelect: () => toggle(channelId),
  };
}

/**
 * Whether a channel is in the user's list. Open channels are left and joined again. Private ones are hidden and shown,
 * because the user stays one of those with access.
 */
export function useListing({ id, private: isPrivate }: Channel) {
  const call = useCall();
  const hidden = useNotificationSetting({ channelId: id })?.hidden === true;
  const [leaveIcon, joinIcon] = isPrivate ? [EyeOff, Eye] : [LogOut, LogIn];
  return {
    /** The name of its texts. */
    kind: isPrivate ? "private" : "open",
    isListed: !hidden,
    icon: hidden ? joinIcon : leaveIcon,
    leave: () => call("notification.set", { channelId: id, hidden: true, favorite: false }),
    join: () => call("notification.set", { channelId: id, hidden: false }),
  };
}

export function useLeaveItem(channel: Channel): MenuItem {
  const { t } = useTranslation("channels");
  const { kind, isListed, icon, leave, join } = useListing(channel);
  const joinAgain = () => void join().catch(showFailure);
  const leaveWithUndo = async () => {
    await leave();
    showToast({
      text: t(`leave.${kind}.done`, { name: channel.name }),
      action: { label: t(`leave.${kind}.undoShort`), onClick: joinAgain },
    });
  };
  return {
    label: isListed ? t(`leave.${kind}.action`) : t(`leave.${kind}.undo`),
    icon,
    onSelect: isListed ? () => void leaveWithUndo().catch(showFailure) : joinAgain,
  };
}
