import { LIMITS } from "@fanfare/contract";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";
import type { GroupDocument, JoinRules } from "./group.repository.ts";

type LockdownDependencies = Pick<GroupDependencies, "groups" | "audit" | "announcer">;

/** Whether new members of a group need approval now. */
export function needsApproval({ needsApproval: always, lockdownUntil }: JoinRules): boolean {
  return always === true || (lockdownUntil ?? new Date(0)) > new Date();
}

/** Whether a group can have join requests: once it has needed approval. */
export function mayHaveRequests({ needsApproval: always, lockdownUntil }: JoinRules): boolean {
  return always !== undefined || lockdownUntil !== undefined;
}

/**
 * Counts a join against the group's limit, if it has one.
 * @returns false when the limit is reached, which starts a lockdown, or when new members need approval now
 */
export async function countJoin(
  dependencies: LockdownDependencies & Pick<GroupDependencies, "formers">,
  rules: JoinRules,
  groupId: string,
  userId: string,
): Promise<boolean> {
  const { groups, formers } = dependencies;
  const { raidLimit = null } = rules;
  const since = new Date(Date.now() - LIMITS.raidWindowMs);
  // A member who leaves and rejoins is counted once. One who was kicked is counted again.
  const isCounted =
    raidLimit !== null && !(await formers.hasLeftSince(groupId, userId, since.getTime(), "left"));
  if (isCounted && (await groups.addRecentJoin(groupId, raidLimit, since))) return true;
  // It may need approval only since the rules were read.
  if (needsApproval((await groups.joinRules(groupId)) ?? {})) return false;
  if (isCounted) await startLockdown(dependencies, groupId, userId, true);
  return !isCounted;
}

/**
 * @param actorId the moderator; of an automatic lockdown, the user who was one too many
 * @returns null when there is one already
 */
export async function startLockdown(
  { groups, audit, announcer }: LockdownDependencies,
  groupId: string,
  actorId: string,
  automatic: boolean,
): Promise<GroupDocument | null> {
  const until = new Date(Date.now() + LIMITS.lockdownMs);
  const started = await groups.startLockdown(groupId, until);
  if (started === null) return null;
  const after = { lockdownUntil: until.toISOString(), automatic };
  await audit(groupId, actorId, "group.startLockdown", { after });
  announcer.updated(presentGroup(started));
  return started;
}
