import { create } from "zustand";
import { loadStored, saveStored } from "../../state/stored.ts";

const MAX_PLACES = 30;
const keyOf = (userId: string): string => `fanfare.recent.${userId}`;

interface RecentState {
  userId: string | null;
  /** Channels, most recent first. */
  channelIds: readonly string[];
}

const useRecent = create<RecentState>(() => ({ userId: null, channelIds: [] }));

/** Recently visited channels of this browser, most recent first. */
export function useRecentPlaces(userId: string): readonly string[] {
  const state = useRecent();
  return state.userId === userId ? state.channelIds : [];
}

/** Records a visit; null if no channel was visited. */
export function visitPlace(userId: string, channelId: string | null): void {
  const { userId: heldId, channelIds } = useRecent.getState();
  const known = heldId === userId ? channelIds : parseRecent(loadStored(keyOf(userId)));
  const next = channelId === null ? known : withPlace(known, channelId);
  useRecent.setState({ userId, channelIds: next });
  if (channelId !== null) saveStored(keyOf(userId), next);
}

function withPlace(channelIds: readonly string[], channelId: string): readonly string[] {
  if (channelIds[0] === channelId) return channelIds;
  return [channelId, ...channelIds.filter((id) => id !== channelId)].slice(0, MAX_PLACES);
}

function parseRecent(stored: unknown): readonly string[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((id): id is string => typeof id === "string").slice(0, MAX_PLACES);
}
