import { short, whole } from "../../report/format.ts";
import type { CapacityAttempt } from "./capacity-result.ts";

/** Why an attempt fails; empty if it passes. */
export function reasonsOf(
  seen: Pick<CapacityAttempt, "worstMs" | "acknowledged" | "lost" | "refused" | "missed" | "dropped">,
  limitMs: number,
): string[] {
  const counted = [
    [seen.lost, "deliveries lost"],
    [seen.refused, "messages rejected or not answered"],
    [seen.missed, "messages not sent in time"],
    [seen.dropped, "connections dropped"],
  ] as const;
  const reasons = counted.filter(([count]) => count > 0).map(([count, what]) => `${whole(count)} ${what}`);
  if (seen.worstMs !== null && seen.worstMs > limitMs)
    reasons.push(`worst message ${short(seen.worstMs)} ms`);
  if (seen.worstMs === null && reasons.length === 0)
    reasons.push("not every message reached everyone in time");
  return reasons;
}
