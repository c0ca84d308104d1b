import type { NodeContext } from "@fanfare/kernel";
import type { Erasures } from "./erasures.ts";
import type { SeenGuest } from "./guest.queries.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { UserRepository } from "./user.repository.ts";

const USERS_PER_PAGE = 100;
const SWEEP_MS = 6 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface UnusedGuestsOptions {
  node: Pick<NodeContext, "call" | "config" | "jobs">;
  users: UserRepository;
  sessionRepository: SessionRepository;
  erasures: Erasures;
}

export type UnusedGuests = ReturnType<typeof createUnusedGuests>;

/**
 * Deletes guests whom nobody can be any more, for they have no password and their sessions have ended, once they were not seen for
 * `GUEST_RETENTION_DAYS`. Those who own a group stay.
 */
export function createUnusedGuests({ node, users, sessionRepository, erasures }: UnusedGuestsOptions) {
  const keptForMs = node.config.guestRetentionDays * DAY_MS;

  const remove = async ({ _id, seenAt }: SeenGuest, now: Date): Promise<void> => {
    const userId = _id;
    const { groupIds } = await node.call("group.listOwned", { userId });
    if (groupIds.length > 0) return;
    const erased = await users.erase(userId, now, { kind: "guest", seenAt });
    if (erased !== null) await erasures.begin(erased);
  };

  /** @returns where the next page begins; null: there is none */
  const look = async (after: string | null, now: Date): Promise<string | null> => {
    const page = await users.pageOfGuests(after, USERS_PER_PAGE);
    // A day is exact enough, and makes one write a day of a guest who is there all the time.
    const idle = page.guests.filter(({ seenAt }) => seenAt.getTime() < now.getTime() - DAY_MS);
    const asked = [...idle.map(({ _id }) => _id), ...page.unseen];
    const refreshed = await sessionRepository.lastRefreshes(asked, now);
    // They are older than the note of when one was seen. Without a session nothing tells them from the authors of imported groups, who stay.
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
      after = await look(after, now);
      signal?.throwIfAborted();
    } while (after !== null);
  };

  if (keptForMs > 0)
    node.jobs.define("user.deleteUnusedGuests", {
      everyMs: SWEEP_MS,
      run: ({ signal }) => sweep(new Date(), signal),
    });
  return { sweep };
}
