import { FORGETS_USER, LIMITS } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { BlockRepository } from "./block.repository.ts";
import type { MailedTokenRepository } from "./mailed-token.repository.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { Sessions } from "./sessions.ts";
import type { UserDocument } from "./user.model.ts";
import { presentUser } from "./user.presenter.ts";
import type { UserRepository } from "./user.repository.ts";

const USERS_PER_SWEEP = 100;
/** The first sweep waits until the other services have started. */
const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;
/** Longer than a process takes that is alive. */
const ABANDONED_AFTER_MS = LIMITS.writeTimeoutMs;

export interface ErasuresOptions {
  node: Pick<NodeContext, "broadcast" | "call" | "logger">;
  users: UserRepository;
  sessions: Sessions;
  sessionRepository: SessionRepository;
  blocks: BlockRepository;
  mailedTokens: MailedTokenRepository;
  firstSweepMs?: number;
  abandonedAfterMs?: number;
}

export type Erasures = ReturnType<typeof createErasures>;

/**
 * Removes what is stored of deleted users besides their document, here and in every service that stores personal data. Every step
 * can be repeated: a sweep does what failed or was left by a process that died.
 */
export function createErasures(options: ErasuresOptions) {
  const { node, users, sessions, sessionRepository, blocks, mailedTokens } = options;
  const { firstSweepMs = FIRST_SWEEP_MS, abandonedAfterMs = ABANDONED_AFTER_MS } = options;
  const underWay = new Set<string>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const forget = async (userId: string): Promise<void> => {
    await sessions.endAll(userId);
    await sessionRepository.forgetClients(userId);
    await mailedTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
    await blocks.removeAllOf(userId);
    const results = await Promise.allSettled(FORGETS_USER.map((name) => node.call(name, { userId })));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    await users.finishErasure(userId);
  };

  const inBackground = (userId: string): void => {
    if (stopped || underWay.has(userId)) return;
    underWay.add(userId);
    const task = forget(userId)
      .catch((error: unknown) =>
        node.logger.warn({ err: error }, "a deleted user is not forgotten everywhere yet"),
      )
      .finally(() => {
        underWay.delete(userId);
        running.delete(task);
      });
    running.add(task);
  };

  const sweep = async (): Promise<void> => {
    const before = new Date(Date.now() - abandonedAfterMs);
    for (const userId of await users.listErasing(before, USERS_PER_SWEEP)) inBackground(userId);
  };

  const sweepIn = (delayMs: number): void => {
    timer = setTimeout(() => {
      sweep().catch((error: unknown) =>
        node.logger.warn({ err: error }, "deleted users could not be listed"),
      );
      sweepIn(SWEEP_MS);
    }, delayMs);
  };

  return {
    start: () => sweepIn(firstSweepMs),
    /** Tells that nothing is left of a user's profile, and removes the rest. */
    begin(erased: UserDocument): void {
      node.broadcast("user.profileChanged", { user: presentUser(erased) });
      inBackground(erased._id.toHexString());
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
