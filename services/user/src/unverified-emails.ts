import { LIMITS } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { tellOwner } from "./account-mails.ts";
import type { UserRepository } from "./user.repository.ts";

const SWEEP_MS = 10 * 60 * 1000;
const EMAILS_PER_SWEEP = 1000;

/** Removes addresses that accounts claimed `LIMITS.unverifiedEmailLifetimeMs` before `now` and never verified, up to a batch. */
export async function releaseUnverifiedEmails(
  node: Pick<NodeContext, "publish">,
  users: UserRepository,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - LIMITS.unverifiedEmailLifetimeMs);
  for (let released = 0; released < EMAILS_PER_SWEEP; released += 1) {
    const user = await users.releaseOldestUnverifiedEmail(before);
    if (user === null) return;
    tellOwner(node, user);
  }
}

/** Call it only where mails go out: elsewhere no address can be verified, so none expires. */
export function defineEmailRelease(node: NodeContext, users: UserRepository): void {
  node.jobs.define("user.releaseUnverifiedEmails", {
    everyMs: SWEEP_MS,
    run: () => releaseUnverifiedEmails(node, users, new Date()),
  });
}
