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
const SWEEP_MS = 60_000;
/** Accounts whose data can wait to be deleted. */
const MAX_WAITING = 100_000;

export interface ErasuresOptions {
  node: Pick<NodeContext, "broadcast" | "call" | "jobs">;
  users: UserRepository;
  sessions: Sessions;
  sessionRepository: SessionRepository;
  blocks: BlockRepository;
  mailedTokens: MailedTokenRepository;
}

export type Erasures = ReturnType<typeof createErasures>;

/** Jobs that delete the data of deleted users in this and every other service that stores personal data. */
export function createErasures(options: ErasuresOptions) {
  const { node, users, sessions, sessionRepository, blocks, mailedTokens } = options;

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

  const erasure = node.jobs.define("user.erase", { maxWaiting: MAX_WAITING, run: ({ key }) => forget(key) });
  node.jobs.define("user.findErasures", {
    everyMs: SWEEP_MS,
    run: async () => {
      const before = new Date(Date.now() - LIMITS.writeTimeoutMs);
      for (const userId of await users.listErasing(before, USERS_PER_SWEEP))
        await erasure.enqueue(userId, null);
    },
  });

  return {
    /** Publishes the empty profile and enqueues the erasure; `user.findErasures` enqueues it if this process dies before. */
    async begin(erased: UserDocument): Promise<void> {
      node.broadcast("user.profileChanged", { user: presentUser(erased) });
      await erasure.enqueue(erased._id, null);
    },
  };
}
