import { type Actor, chunks, type NodeContext, WorkTimer } from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";
import { MAX_USED_SESSIONS } from "./constants.ts";

/**
 * Reports which sessions are used, for policies that end idle ones. A socket stays open without new tokens, so the user service
 * can't know it otherwise.
 */
export function createSessionUse({ services, logger }: Pick<NodeContext, "services" | "logger">) {
  const used = new Set<string>();
  const report = async (sessionIds: string[]): Promise<void> => {
    try {
      await services.user.touchSessions({ sessionIds });
    } catch (error) {
      for (const sessionId of sessionIds) if (used.size < MAX_USED_SESSIONS) used.add(sessionId);
      logger.warn({ err: error, sessions: sessionIds.length }, "session use not reported");
    }
  };
  const reportAll = async (): Promise<void> => {
    const sessionIds = [...used];
    used.clear();
    await Promise.all(chunks(sessionIds, LIMITS.sessionsPerReport).map(report));
  };
  const timer = new WorkTimer(LIMITS.sessionUseReportMs, () => {
    const isUsed = used.size > 0;
    void reportAll();
    return isUsed;
  });
  return {
    /** Called when a user makes a change, not when a page loads data by itself. */
    note({ sessionId, kind }: Actor): void {
      if (kind !== "member" || used.size >= MAX_USED_SESSIONS) return;
      used.add(sessionId);
      timer.start();
    },

    async stop(): Promise<void> {
      timer.stop();
      await reportAll();
    },
  };
}
