import { usageError } from "../exit.ts";

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/**
 * "30m" → 1,800,000; a plain number is seconds.
 * @throws {ExitError}
 */
export function durationMs(option: string, text: string, maxMs: number): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  const value = match ? Number(match[1]) * UNITS[(match[2] ?? "s") as keyof typeof UNITS] : NaN;
  if (value >= 0 && value <= maxMs) return value;
  throw usageError(`--${option} must be a time such as 500ms, 90s, 30m or 2h, at most ${maxMs / UNITS.h} h.`);
}
