import type { Message } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useEffect, useState } from "react";

/** How long until somebody may write again, in whole seconds; 0 for now. Clocks differ: it is never longer than the wait itself. */
export function slowModeLeft(lastSentAt: string | undefined, slowModeSeconds: number, nowMs: number): number {
  if (lastSentAt === undefined || slowModeSeconds === 0) return 0;
  const leftMs = Date.parse(lastSentAt) + slowModeSeconds * 1000 - nowMs;
  return Math.min(slowModeSeconds, Math.max(0, Math.ceil(leftMs / 1000)));
}

interface SlowModeOptions {
  messages: readonly Message[];
  ownId: string;
  slowModeSeconds: number;
  permissions: number;
}

/** The seconds that the user still waits in a channel with slow mode, counted down. */
export function useSlowMode({ messages, ownId, slowModeSeconds, permissions }: SlowModeOptions): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isExempt =
    hasPermission(permissions, "manageMessages") || hasPermission(permissions, "manageChannels");
  const last = isExempt ? undefined : messages.findLast(({ authorId }) => authorId === ownId);
  const left = slowModeLeft(last?.createdAt, slowModeSeconds, nowMs);
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [left]);
  return left;
}
