import { FORGETS_USER, LIMITS } from "@fanfare/contract";
import { callOf, type NodeContext, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { BlockRepository } from "./block.repository.ts";
import type { OneTimeTokenRepository } from "./email.repository.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { Sessions } from "./sessions.ts";
import type { UserDocument } from "./user.model.ts";
import { presentUser } from "./user.presenter.ts";
import type { UserRepository } from "./user.repository.ts";
import type { SeenGuest } from "./removal.queries.ts";

const USERS_PER_SWEEP = 100;
const SWEEP_MS = 60_000;
/** Maximum of accounts waiting for their data to be deleted. */
const MAX_WAITING = 100_000;

interface ErasuresOptions {
  node: Pick<NodeContext, "broadcast" | "services" | "jobs">;
  users: UserRepository;
  sessions: Sessions;
  sessionRepository: SessionRepository;
  blocks: BlockRepository;
  oneTimeTokens: OneTimeTokenRepository;
}

type Erasures = ReturnType<typeof createErasures>;

/** Jobs that delete the data of deleted users in this and every other service that stores personal data. */
export function createErasures(options: ErasuresOptions) {
  const { node, users, sessions, sessionRepository, blocks, oneTimeTokens } = options;

  const forget = async (userId: string): Promise<void> => {
    await sessions.endAll(userId);
    await sessionRepository.forgetClients(userId);
    await oneTimeTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
    await blocks.removeAllOf(userId);
    const results = await Promise.allSettled(
      FORGETS_USER.map((name) => callOf(node.services)(name, { userId })),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    await users.finishErasure(userId);
  };

  const erasure = node.jobs.define("user.erase", {
    maxWaiting: MAX_WAITING,
    // A service or plug-in can be down for days, and its data must be deleted all the same.
    maxTries: Infinity,
    run: ({ key }) => forget(key),
  });
  node.jobs.define("user.findErasures", {
    everyMs: SWEEP_MS,
    run: async () => {
      const before = new Date(Date.now() - LIMITS.writeTimeoutMs);
      for (const userId of await users.listErasing(before, USERS_PER_SWEEP))
        // Earlier versions gave up after some tries.
        if (!(await erasure.retryDead(userId))) await erasure.enqueue(userId, null);
    },
  });

  return {
    /** Publishes the empty profile and enqueues the erasure. If the process dies before that, `user.findErasures` enqueues it. */
    async begin(erased: UserDocument): Promise<void> {
      node.broadcast("user.profileChanged", { user: presentUser(erased) });
      await erasure.enqueue(erased._id, null);
    },
  };
}

const USERS_PER_PAGE = 100;
const GUEST_SWEEP_MS = 6 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

interface UnusedGuestsOptions {
  node: Pick<NodeContext, "services" | "config" | "jobs">;
  users: UserRepository;
  sessionRepository: SessionRepository;
  erasures: Erasures;
}

export type UnusedGuests = ReturnType<typeof createUnusedGuests>;

/**
 * Deletes guests whose sessions have all ended, and who therefore can't log in again, once they have been inactive for
 * `GUEST_RETENTION_DAYS`. Guests who own a group stay.
 */
export function createUnusedGuests({ node, users, sessionRepository, erasures }: UnusedGuestsOptions) {
  const keptForMs = node.config.guestRetentionDays * DAY_MS;

  const remove = async ({ _id, seenAt }: SeenGuest, now: Date): Promise<void> => {
    const userId = _id;
    const { groupIds } = await node.services.group.listOwned({ userId });
    if (groupIds.length > 0) return;
    const erased = await users.erase(userId, now, { kind: "guest", seenAt });
    if (erased !== null) await erasures.begin(erased);
  };

  /** @returns the cursor of the next page, or null */
  const sweepPage = async (after: string | null, now: Date): Promise<string | null> => {
    const page = await users.pageOfGuests(after, USERS_PER_PAGE);
    // Day precision is enough and limits this to one write a day for an active guest.
    const idle = page.guests.filter(({ seenAt }) => seenAt.getTime() < now.getTime() - DAY_MS);
    const asked = [...idle.map(({ _id }) => _id), ...page.unseen];
    const refreshed = await sessionRepository.lastRefreshes(asked, now);
    // Guests without `seenAt` predate it. Without a session they look like authors of imported groups, which must stay.
    for (const _id of page.unseen) {
      const seenAt = refreshed.get(_id);
      if (seenAt !== undefined) await users.setFirstSeenAt({ _id, seenAt });
    }
    for (const guest of idle) {
      const seenAt = refreshed.get(guest._id);
      if (seenAt !== undefined) await users.setSeenAt({ ...guest, seenAt });
      else if (guest.seenAt.getTime() < now.getTime() - keptForMs) await remove(guest, now);
    }
    return page.next;
  };

  const sweep = async (now: Date, signal?: AbortSignal): Promise<void> => {
    let after: string | null = null;
    do {
      after = await sweepPage(after, now);
      signal?.throwIfAborted();
    } while (after !== null);
  };

  if (keptForMs > 0)
    node.jobs.define("user.deleteUnusedGuests", {
      everyMs: GUEST_SWEEP_MS,
      run: ({ signal }) => sweep(new Date(), signal),
    });
  return { sweep };
}

export type InvitedAccounts = ReturnType<typeof createInvitedAccounts>;

/** Accounts created with an invite to a group. */
export function createInvitedAccounts(
  node: Pick<NodeContext, "services">,
  users: UserRepository,
  erasures: Erasures,
) {
  /** Takes one use of the invite. */
  const join = async (userId: string, code: string): Promise<void> => {
    await node.services.invite.acceptFor({ userId, code });
  };

  return {
    /**
     * Guests can create groups and invites, so invites by guests must not create accounts. Neither must those by bots, which
     * guests can add to a group.
     * @throws {ServiceError} INVITE_NOT_FOUND
     */
    async check(code: string): Promise<void> {
      const creator = await users.find((await node.services.invite.findCreator({ code })).userId);
      if (creator?.kind !== "member" || creator.disabledAt !== undefined || creator.deletedAt !== undefined)
        throw serviceError("INVITE_NOT_FOUND");
    },

    join,

    /** For a newly created account. If it can't join, it is deleted: someone else may have taken the invite's last use. */
    joinOrDelete: (userId: string, code: string): Promise<void> =>
      withoutDeadline(async () => {
        try {
          await join(userId, code);
        } catch (error) {
          const erased = await users.erase(userId, new Date());
          if (erased !== null) await erasures.begin(erased);
          throw error;
        }
      }),
  };
}
