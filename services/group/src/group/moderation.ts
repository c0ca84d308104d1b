import { type WordFilter, LIMITS } from "@fanfare/contract";
import { type Handlers, orThrow } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { requireActor } from "../subjects.ts";
import { presentGroup } from "../group.presenter.ts";
import { difference } from "./audit.ts";
import { NO_FILTER, NO_RULES, type StoredWordFilter } from "./moderation.repository.ts";
import type { GroupDocument, JoinRules } from "./group.repository.ts";

const load = async ({ wordFilters }: Pick<GroupDependencies, "wordFilters">, groupId: string) => {
  const found = await wordFilters.find(groupId);
  return { wordFilter: presentFilter(found ?? NO_FILTER), rev: found?.rev ?? 0 };
};

const presentFilter = ({ words, onHit, rules = NO_RULES }: StoredWordFilter): WordFilter => ({
  words,
  onHit,
  rules,
});

const filtersAnything = ({ words, rules }: WordFilter): boolean =>
  words.length > 0 || Object.values(rules).some((rule) => rule !== null);

export function moderationActions(dependencies: GroupDependencies): Handlers {
  const { groups, wordFilters, membership, audit, announcer, channels } = dependencies;
  return {
    "group.getWordFilter": async ({ params: { groupId } }) => ({
      wordFilter: (await load(dependencies, groupId)).wordFilter,
    }),

    "group.readWordFilter": ({ params: { groupId } }) => load(dependencies, groupId),

    /** Applies to the next message everywhere: the rev is part of the permissions, whose cache is invalidated. */
    "group.setWordFilter": async ({ params: { groupId, ...changes }, actor: { userId } }) => {
      const before = (await load(dependencies, groupId)).wordFilter;
      const changed = await wordFilters.change(groupId, {
        ...changes,
        ...(changes.words && { words: [...new Set(changes.words)] }),
      });
      const wordFilter = presentFilter(changed);
      await groups.setWordFilterRev(groupId, changed.rev, filtersAnything(wordFilter));
      membership.forget(groupId, null);
      await audit(groupId, userId, "group.setWordFilter", {
        before: { ...before },
        after: { ...wordFilter },
      });
      return { wordFilter };
    },

    "group.setRetention": async ({ params: { groupId, days }, actor: { userId } }) => {
      const before = presentGroup((await requireActor(dependencies, groupId, userId)).group);
      const updated = orThrow(await groups.update(groupId, { retentionDays: days }), "GROUP_NOT_FOUND");
      const group = presentGroup(updated);
      const changed = difference(before, group, ["retentionDays"]);
      if (changed === null) return { group };
      await audit(groupId, userId, "group.setRetention", changed);
      return announcer.updated(group);
    },

    "group.listRetention": async ({ params: { afterChannelId, limit } }) => {
      const page = await channels.listPage(afterChannelId, limit);
      const groupOf = (channel: (typeof page)[number]): string | undefined =>
        channel.groupId ?? channel.parentGroupId;
      const groupIds = new Set(page.map(groupOf).filter((id) => id !== undefined));
      const found = await groups.findMany([...groupIds]);
      const days = new Map(found.map(({ _id, retentionDays }) => [_id, retentionDays ?? null]));
      return {
        channels: page
          .filter(({ kind }) => kind !== "section")
          .map((channel) => ({
            channelId: channel._id,
            days: days.get(groupOf(channel) ?? "") ?? null,
          })),
        nextChannelId: page.length === limit ? page.at(-1)!._id : null,
      };
    },
  };
}

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
