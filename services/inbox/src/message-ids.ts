import { CLOCK_SKEW_SECONDS } from "./bounds.ts";

/** Whether a message is newer than the one with the other id; null: there is no such one. */
export function isAfter(id: string, than: string | null): boolean {
  return than === null || id > than;
}

/** The highest id that a message can have by now. An id begins with the second in which it was made. */
export function highestIdNow(nowMs: number): string {
  const second = Math.floor(nowMs / 1000) + CLOCK_SKEW_SECONDS;
  return second.toString(16).padStart(8, "0") + "f".repeat(16);
}
