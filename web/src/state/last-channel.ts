import { loadStored, saveStored } from "./stored.ts";

/** The least recently visited groups are dropped beyond this number. */
const MAX_GROUPS = 200;

interface LastPlaces {
  /** The last visited path. */
  path: string | null;
  /** The last visited channel of each group. */
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

/** Records a visit to a channel; `groupId` is null for a direct message. */
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
