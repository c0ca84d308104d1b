import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { channelsInOrder } from "../../data/channel-order.ts";
import { useServerCache } from "../../data/data-context.ts";
import { directPath, groupPath, inboxPath, parsePlace, placePath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { togglePanel, usePanels } from "../../state/panels.ts";
import { showToast } from "../../ui/toast.tsx";
import { useGroups } from "../../data/groups.ts";
import { useWantedUnread } from "../notifications/use-wanted-unread.ts";
import { openSearch } from "../search/search-store.ts";
import { nextOf } from "./next-of.ts";
import { openOverlay } from "./overlay-store.ts";
import type { ShortcutName } from "./shortcuts.ts";
import { usePlace } from "./use-place.ts";

interface Deeds {
  /** Does what the shortcut says. False: there is nothing to do, so the key is the browser's. */
  act: (name: ShortcutName) => boolean;
  goToGroup: (index: number) => boolean;
}

/** What the shortcuts do where the user is now. */
export function useShortcutActions(): Deeds {
  const cache = useServerCache();
  const call = useCall();
  const place = usePlace();
  const { data: groups = [] } = useGroups();
  const unread = useWantedUnread();
  const [, navigate] = useLocation();

  /** The channels beside which the user is, from above. */
  const listed = (): { id: string; groupId: string | null }[] => {
    const groupId = place?.groupId ?? null;
    if (groupId === null) return cache.held("channel.listDirect").flatMap(({ answer }) => answer.channels);
    return channelsInOrder(cache.read("channel.list", { groupId })?.channels ?? []);
  };
  const step = (by: 1 | -1, onlyUnread: boolean): boolean => {
    const next = nextOf(listed(), place?.channelId ?? null, by, ({ id }) => !onlyUnread || unread.has(id));
    if (next !== undefined) navigate(placePath(next.groupId, next.id));
    return true;
  };
  const goTo = (path: string): boolean => {
    navigate(path);
    return true;
  };
  const failed = (error: unknown) => showToast({ text: errorText(error), tone: "danger" });

  const markRead = (): boolean => {
    const channelId = place?.channelId ?? null;
    // Esc closes what stands at the right first.
    const hasPanel = usePanels.getState().panel !== null || parsePlace(location.search).thread !== undefined;
    if (channelId === null || hasPanel) return false;
    const held = cache.read("channel.listUnread", {})?.channels.find((one) => one.channelId === channelId);
    if (held === undefined) return false;
    call("channel.markRead", { channelId, seq: held.head.seq }).catch(failed);
    return true;
  };
  const markGroupRead = (): boolean => {
    const groupId = place?.groupId ?? null;
    if (groupId === null) return false;
    call("inbox.markGroupRead", { groupId }).catch(failed);
    return true;
  };
  const toggleMembers = (): boolean => {
    if (place === null) return false;
    togglePanel("members");
    return true;
  };

  const deeds: Record<ShortcutName, () => boolean> = {
    switcher: () => (openOverlay("switcher"), true),
    help: () => (openOverlay("shortcuts"), true),
    search: () => openSearch(place, navigate),
    members: toggleMembers,
    previousChannel: () => step(-1, false),
    nextChannel: () => step(1, false),
    previousUnread: () => step(-1, true),
    nextUnread: () => step(1, true),
    directs: () => goTo(directPath()),
    inbox: () => goTo(inboxPath()),
    markRead,
    markGroupRead,
  };
  return {
    act: (name) => deeds[name](),
    goToGroup(index) {
      const group = groups[index];
      return group !== undefined && goTo(groupPath(group.id));
    },
  };
}
