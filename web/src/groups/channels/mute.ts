import type { NotificationSetting } from "@fanfare/contract";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const MUTE_DURATIONS = [
  { id: "15m", ms: 15 * MINUTE_MS, textKey: "channels:mute.15m" },
  { id: "1h", ms: HOUR_MS, textKey: "channels:mute.1h" },
  { id: "8h", ms: 8 * HOUR_MS, textKey: "channels:mute.8h" },
  { id: "1d", ms: 24 * HOUR_MS, textKey: "channels:mute.1d" },
  { id: "forever", ms: null, textKey: "channels:mute.forever" },
] as const;

/** Stands for "until I turn it off". */
const FOREVER = "9999-12-31T23:59:59.999Z";

export function mutedUntil(durationMs: number | null, nowMs: number): string {
  return durationMs === null ? FOREVER : new Date(nowMs + durationMs).toISOString();
}

export function isMutedForever(until: string): boolean {
  return until >= FOREVER.slice(0, 4);
}

/** Whether a place is muted. */
export function isQuiet(setting: NotificationSetting | undefined, nowMs: number): boolean {
  return setting?.level === "nothing" || isMutedNow(setting, nowMs);
}

export function isMutedNow(setting: NotificationSetting | undefined, nowMs: number): boolean {
  const until = setting?.mutedUntil ?? null;
  return until !== null && Date.parse(until) > nowMs;
}
