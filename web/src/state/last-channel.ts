import { loadStored, saveStored } from "./stored.ts";

/** Groups of which the last channel is remembered: those that were left longest ago are forgotten first. */
const MAX_GROUPS = 200;

export interface LastPlaces {
  /** A path of the page; null: nowhere yet. */
  path: string | null;
  /** By group: the channel that was shown there last. */
  channels: Readonly<Record<string, string>>;
}

const NOWHERE: LastPlaces = { path: null, channels: {} };
const keyOf = (userId: string): string => `fanfare.places.${userId}`;

export function lastPlaces(userId: string): LastPlaces {
  return parseLastPlaces(loadStored(keyOf(userId)));
}

export function lastChannelOf(userId: string, groupId: string): string | undefined {
  return lastPlaces(userId).channels[groupId];
}

/** Notes that the user is in a channel; `groupId` null for a direct one. */
export function rememberPlace(userId: string, path: string, groupId: string | null, channelId: string): void {
  const { channels } = lastPlaces(userId);
  saveStored(keyOf(userId), {
    path,
    channels: groupId === null ? channels : withLastChannel(channels, groupId, channelId),
  });
}

export function withLastChannel(
  channels: LastPlaces["channels"],
  groupId: string,
  channelId: string,
): LastPlaces["channels"] {
  const others = Object.entries(channels).filter(([id]) => id !== groupId);
  return Object.fromEntries([...others, [groupId, channelId]].slice(-MAX_GROUPS));
}

export function parseLastPlaces(stored: unknown): LastPlaces {
  if (typeof stored !== "object" || stored === null) return NOWHERE;
  const { path, channels } = stored as { path?: unknown; channels?: unknown };
  const entries = Object.entries((channels ?? {}) as Record<string, unknown>);
  return {
    path: typeof path === "string" && path.startsWith("/") && !path.startsWith("//") ? path : null,
    channels: Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === "string").slice(-MAX_GROUPS),
    ),
  };
}
