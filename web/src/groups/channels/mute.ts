import type { Member, NotificationSetting } from "@fanfare/contract";
import { morning } from "../../shared/later-times.ts";

const MINUTE_MS = 60_000;

/** Stands for "until I turn it on". */
export const FOREVER = "9999-12-31T23:59:59.999Z";

const inMinutes = (minutes: number) => (now: Date) =>
  new Date(now.getTime() + minutes * MINUTE_MS).toISOString();

/** What is offered to mute a place until. */
export const MUTE_TIMES = [
  { id: "15m", until: inMinutes(15), textKey: "channels:mute.15m" },
  { id: "1h", until: inMinutes(60), textKey: "channels:mute.1h" },
  { id: "8h", until: inMinutes(8 * 60), textKey: "channels:mute.8h" },
  { id: "tomorrow", until: (now: Date) => morning(now, 1).toISOString(), textKey: "channels:mute.tomorrow" },
  { id: "forever", until: () => FOREVER, textKey: "channels:mute.forever" },
] as const;

export function isMutedForever(until: string): boolean {
  return until >= FOREVER.slice(0, 4);
}

/** Whether a place is muted. */
export function isQuiet(setting: NotificationSetting | undefined, nowMs: number): boolean {
  return setting?.level === "nothing" || isMutedNow(setting, nowMs);
}

/** Whether notifications of a place are muted, or a member of a group is. */
export function isMutedNow(muted: Pick<Member, "mutedUntil"> | undefined, nowMs: number): boolean {
  const until = muted?.mutedUntil ?? null;
  return until !== null && Date.parse(until) > nowMs;
}
