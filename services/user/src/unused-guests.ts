import { repeat, type NodeContext } from "@fanfare/kernel";
import type { Types } from "mongoose";
import type { Erasures } from "./erasures.ts";
import type { SeenGuest } from "./guest.queries.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { UserRepository } from "./user.repository.ts";

/** Users that are looked at in one sweep, and so the most that one deletes. */
const USERS_PER_SWEEP = 100;
const SWEEP_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface UnusedGuestsOptions {
  node: Pick<NodeContext, "call" | "broadcast" | "logger" | "config">;
  users: UserRepository;
  sessionRepository: SessionRepository;
  erasures: Erasures;
}

export type UnusedGuests = ReturnType<typeof createUnusedGuests>;

/**
 * Deletes guests whom nobody can be any more, for they have no password and their sessions have ended, once they were not seen for
 * `GUEST_RETENTION_DAYS`. Those who own a group stay. Every process goes through all users, a page at a time: what two do
 * at once is done once.
 */
export function createUnusedGuests({ node, users, sessionRepository, erasures }: UnusedGuestsOptions) {
  const keptForMs = node.config.guestRetentionDays * DAY_MS;
  let after: Types.ObjectId | null = null;
  let stop: (() => Promise<void>) | undefined;

  const remove = async ({ _id, seenAt }: SeenGuest, now: Date): Promise<void> => {
    const userId = _id.toHexString();
    const { groupIds } = await node.call("group.listOwned", { userId });
    if (groupIds.length > 0) return;
    const erased = await users.erase(userId, now, { kind: "guest", seenAt });
    if (erased !== null) erasures.begin(erased);
  };

  const sweep = async (now: Date): Promise<void> => {
    const page = await users.pageOfGuests(after, USERS_PER_SWEEP);
    // A day is exact enough, and makes one write a day of a guest who is there all the time.
    const idle = page.guests.filter(({ seenAt }) => seenAt.getTime() < now.getTime() - DAY_MS);
    const asked = [...idle.map(({ _id }) => _id), ...page.unseen];
    const refreshed = await sessionRepository.lastRefreshes(asked, now);
    // They are older than the note of when one was seen. Without a session nothing tells them from the authors of imported groups, who stay.
    for (const _id of page.unseen) {
      const seenAt = refreshed.get(_id.toHexString());
      if (seenAt !== undefined) await users.setFirstSeenAt({ _id, seenAt });
    }
    for (const guest of idle) {
      const seenAt = refreshed.get(guest._id.toHexString());
      if (seenAt !== undefined) await users.setSeenAt({ ...guest, seenAt });
      else if (guest.seenAt.getTime() < now.getTime() - keptForMs) await remove(guest, now);
    }
    // Only now: what has failed is tried again.
    after = page.next;
  };

  return {
    /** Looks at the next page of users; the first comes after the last. */
    sweep,
    start(): void {
      if (keptForMs === 0) return;
      const { logger } = node;
      stop = repeat(() => sweep(new Date()), {
        everyMs: SWEEP_MS,
        what: "deleting guests who are gone",
        logger,
      });
    },
    stop: async (): Promise<void> => stop?.(),
  };
}
