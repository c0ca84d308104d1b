import { channelsOf, directsOf } from "@fanfare/client/store";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useMe } from "../../data/me.ts";
import { getCurrentCall } from "../../calls/call-store.ts";
import { leaveCall, toggleCamera, toggleDeafened, toggleMicrophone } from "../../calls/calls.tsx";
import { getConversation } from "../../channel/messages/conversation.ts";
import { visitPlace } from "../../search/quick-switcher/recent-places.ts";
import { useCall } from "../../data/call.ts";
import { useLive } from "../../data/frames.ts";
import { markedIdsOf, useUnreadChannels } from "../../data/inbox.ts";
import { useToggleFavorite } from "../../groups/channels/channel-marks.ts";
import { listedChannels } from "../../groups/channels/lines.ts";
import { useGroups } from "../../data/groups.ts";
import { useServerCache } from "../../data/data-context.ts";
import { directPath, groupPath, inboxPath, parsePlace, placePath } from "../../routes.ts";
import { openOverlay, togglePanel, useOverlay, usePanels } from "../../state/panels.ts";
import { useUnmutedUnread } from "../../inbox/notifications/unmuted-unread.ts";
import { openSearch } from "../../search/search-store.ts";
import { isApple, isCombo, needsNoField, GROUP_KEYS, type ShortcutName, SHORTCUTS } from "./shortcuts.ts";
import { useHasSearch, usePlace } from "./use-place.ts";
import { showFailure } from "../../ui/feedback.tsx";
import { later, TypedAhead } from "../../shared/later.tsx";

const QuickSwitcher = later(
  async () => (await import("../../search/quick-switcher/quick-switcher.tsx")).QuickSwitcher,
  TypedAhead,
);
const ShortcutSheet = later(async () => (await import("./shortcut-sheet.tsx")).ShortcutSheet);

/** Later, the user may have seen or done something else. */
const EARLY_MAX_MS = 5000;

const close = () => openOverlay(null);

export function GlobalShortcuts() {
  const overlay = useOverlay((state) => state.overlay);
  useKeys();
  useVisits();
  return (
    <>
      {overlay === "switcher" && <QuickSwitcher onClose={close} />}
      {overlay === "shortcuts" && <ShortcutSheet onClose={close} />}
    </>
  );
}

function useKeys(): void {
  const actions = useShortcutActions();
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const apple = isApple();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || isInOverlay(event.target)) return;
      const { act, goToGroup } = latest.current;
      const isHit = (combo: string): boolean =>
        isCombo(combo, event, apple) && !(needsNoField(combo, apple) && isField(event.target));
      for (const [name, { combos }] of Object.entries(SHORTCUTS)) {
        if (combos.some(isHit) && act(name as ShortcutName)) return event.preventDefault();
      }
      for (let number = 1; number <= GROUP_KEYS; number++) {
        if (isHit(`Alt+${number}`) && goToGroup(number - 1)) return event.preventDefault();
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

/** Dialogs, menus and other overlays handle their own keys. */
function isInOverlay(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[role=dialog],[role=alertdialog],[role=menu]") !== null;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox],[type=radio])"))
  );
}

function useVisits(): void {
  const { id } = useMe();
  const channelId = usePlace()?.channelId ?? null;
  useEffect(() => visitPlace(id, channelId), [id, channelId]);
}

interface ShortcutActions {
  /** Returns false if there was nothing to do; then the browser handles the key. */
  act: (name: ShortcutName) => boolean;
  goToGroup: (index: number) => boolean;
}

function useShortcutActions(): ShortcutActions {
  const cache = useServerCache();
  const { client, store } = cache;
  const call = useCall();
  const place = usePlace();
  const hasSearch = useHasSearch();
  const { data: groups = [] } = useGroups();
  const unread = useUnmutedUnread();
  const hasCounts = useUnreadChannels().data !== undefined;
  const isOutdated = useLive(store, () => store.isOutdated);
  const isCurrent = hasCounts && !isOutdated;
  /** What was asked for before the current counts were loaded, and where. */
  const early = useRef<{ name: ShortcutName; channelId: string | null | undefined; atMs: number } | null>(
    null,
  );
  const [, navigate] = useLocation();

  const listed = (): { id: string; groupId: string | null }[] => {
    const groupId = place?.groupId ?? null;
    if (groupId === null) return [...(directsOf(store.state) ?? [])];
    const favoriteIds = markedIdsOf(store.state, "favorite");
    const hiddenIds = markedIdsOf(store.state, "hidden").filter((id) => !unread.has(id));
    return [...listedChannels(channelsOf(store.state, groupId) ?? [], { favoriteIds, hiddenIds })];
  };
  const waitAs = (name: ShortcutName): boolean => {
    if (client.state !== "online") return false;
    early.current = { name, channelId: place?.channelId, atMs: Date.now() };
    return true;
  };
  const step = (by: 1 | -1, onlyUnread: boolean): boolean => {
    const next = findNext(listed(), place?.channelId ?? null, by, ({ id }) => !onlyUnread || unread.has(id));
    if (next !== undefined) navigate(placePath(next.groupId, next.id));
    else if (onlyUnread && !isCurrent) return waitAs(by === 1 ? "nextUnread" : "previousUnread");
    return true;
  };
  const goTo = (path: string): boolean => {
    navigate(path);
    return true;
  };

  const markRead = (): boolean => {
    const channelId = place?.channelId ?? null;
    // Esc first closes the side panel, or ends the selection of messages.
    const hasPanel = usePanels.getState().panel !== null || parsePlace(location.search).thread !== undefined;
    if (channelId === null || hasPanel || getConversation(channelId).selected !== null) return false;
    const existing = store.state.unread?.[channelId];
    if (existing === undefined) return !isCurrent && waitAs("markRead");
    call("channel.markRead", { channelId, seq: existing.head.seq }).catch(showFailure);
    return true;
  };
  const markGroupRead = (): boolean => {
    const groupId = place?.groupId ?? null;
    if (groupId === null) return false;
    call("inbox.markGroupRead", { groupId }).catch(showFailure);
    return true;
  };
  const toggleMembers = (): boolean => {
    if (place === null) return false;
    togglePanel("members");
    return true;
  };

  const toggleFavorite = useToggleFavorite();
  const toggleCurrentFavorite = (): boolean => {
    const channelId = place?.channelId ?? null;
    if (channelId === null) return false;
    toggleFavorite(channelId);
    return true;
  };

  const actionOf: Record<ShortcutName, () => boolean> = {
    switcher: () => (openOverlay("switcher"), true),
    help: () => (openOverlay("shortcuts"), true),
    search: () => hasSearch && openSearch(place, navigate),
    members: toggleMembers,
    favorite: toggleCurrentFavorite,
    previousChannel: () => step(-1, false),
    nextChannel: () => step(1, false),
    previousUnread: () => step(-1, true),
    nextUnread: () => step(1, true),
    directs: () => goTo(directPath()),
    inbox: () => goTo(inboxPath()),
    markRead,
    markGroupRead,
    callMicrophone: toggleMicrophone,
    callDeafen: toggleDeafened,
    callCamera: toggleCamera,
    callLeave() {
      if (getCurrentCall() === null) return false;
      void leaveCall(cache);
      return true;
    },
  };
  useEffect(() => {
    if (!isCurrent || early.current === null) return;
    const { name, channelId, atMs } = early.current;
    early.current = null;
    if (channelId === place?.channelId && Date.now() - atMs < EARLY_MAX_MS) actionOf[name]();
  });
  return {
    act: (name) => actionOf[name](),
    goToGroup(index) {
      const group = groups[index];
      return group !== undefined && goTo(groupPath(group.id));
    },
  };
}

/** The next matching item, wrapping around; the first or last one if the current item isn't in the list. */
export function findNext<T extends { id: string }>(
  list: readonly T[],
  currentId: string | null,
  by: 1 | -1,
  isWanted: (one: T) => boolean,
): T | undefined {
  const at = list.findIndex(({ id }) => id === currentId);
  const after = by === 1 ? list.slice(at + 1) : list.slice(0, Math.max(0, at)).toReversed();
  const before = by === 1 ? list.slice(0, Math.max(0, at)) : list.slice(at + 1).toReversed();
  return [...after, ...before].find(isWanted);
}
