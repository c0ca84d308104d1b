import { LIMITS } from "@fanfare/contract";
import { repeat, type NodeContext } from "@fanfare/kernel";
import { tellOwner } from "./tell-owner.ts";
import type { UserRepository } from "./user.repository.ts";

const SWEEP_MS = 10 * 60 * 1000;
const EMAILS_PER_SWEEP = 1000;

export type UnverifiedEmails = ReturnType<typeof createUnverifiedEmails>;

/** Removes addresses that accounts claimed `LIMITS.unverifiedEmailLifetimeMs` ago and never verified. */
export function createUnverifiedEmails(
  node: Pick<NodeContext, "publish" | "logger">,
  users: UserRepository,
  canVerify: boolean,
) {
  let stop: (() => Promise<void>) | undefined;

  const sweep = async (now: Date): Promise<void> => {
    const before = new Date(now.getTime() - LIMITS.unverifiedEmailLifetimeMs);
    for (let released = 0; released < EMAILS_PER_SWEEP; released += 1) {
      const user = await users.releaseOldestUnverifiedEmail(before);
      if (user === null) return;
      tellOwner(node, user);
    }
  };

  return {
    sweep,
    start(): void {
      // Without mail no address can be verified, so none expires.
      if (!canVerify) return;
      const { logger } = node;
      stop = repeat(() => sweep(new Date()), {
        everyMs: SWEEP_MS,
        what: "removing addresses that were never verified",
        logger,
      });
    },
    stop: async (): Promise<void> => stop?.(),
  };
}
