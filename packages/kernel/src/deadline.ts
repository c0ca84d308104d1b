import { LIMITS } from "@fanfare/contract";
import { serviceError } from "./errors.ts";

/**
 * When the caller of the work under way stops waiting for its answer. Work that is dequeued, and every command that gets a
 * database connection, is refused from then on: its result would be thrown away, and the next caller would wait for it.
 */
export interface Deadline {
  /** Milliseconds since the epoch, on this machine's clock. */
  readonly atMs: number;
  /** The call was answered. What it left running in the background has no deadline. */
  isAnswered: boolean;
}

/**
 * Between processes the absolute time travels, not the remaining time: a process that was frozen would take the remaining
 * time for unspent when it reads the call. So the clocks of a cluster's machines must agree. A call of another process is
 * carried out up to this much after its deadline, in milliseconds, and a clock that differs by less refuses no call early.
 */
export const CLOCK_TOLERANCE_MS = 1000;

const RETRY_AFTER_MS = 1000;

/** The deadline of a call that begins now, in milliseconds since the epoch. */
export function newDeadlineMs(timeoutMs: number = LIMITS.writeTimeoutMs): number {
  return Date.now() + timeoutMs;
}

/** The deadline that came with a call, on this machine's clock. */
export function deadlineOf(deadlineMs: number, isFromAnotherProcess: boolean): Deadline {
  if (!isFromAnotherProcess) return { atMs: deadlineMs, isAnswered: false };
  // A caller whose clock is ahead waits no longer than others.
  const latestMs = newDeadlineMs();
  return { atMs: Math.min(deadlineMs, latestMs) + CLOCK_TOLERANCE_MS, isAnswered: false };
}

export function hasPassed(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && !deadline.isAnswered && Date.now() > deadline.atMs;
}

/** @throws {ServiceError} UNAVAILABLE when no one waits for the answer any more */
export function refuseLate(deadline: Deadline | undefined): void {
  if (hasPassed(deadline)) throw serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
}
