/** The cache is cleared when it exceeds this size. */
const MAX_GROUPS = 100_000;

export type PrivateGroups = ReturnType<typeof createPrivateGroups>;

/**
 * Caches which groups have any private channels: this saves two queries at nearly every login, and one at a join. It is invalidated
 * before the room of a group's first private channel is filled, so a login or join that still used the old value is covered by the
 * second pass of channel-moves.ts.
 * @param lookUp returns those of the groups that have a private channel
 */
export function createPrivateGroups(lookUp: (groupIds: readonly string[]) => Promise<ReadonlySet<string>>) {
  const known = new Map<string, boolean>();
  /** Counts invalidations: results of lookups that overlap with one aren't cached. */
  let epoch = 0;

  const forgetAll = (): void => {
    epoch += 1;
    known.clear();
  };

  return {
    /** @returns those of the groups that have a private channel, or had one when they were cached */
    async among(groupIds: readonly string[]): Promise<Set<string>> {
      const unknown = groupIds.filter((id) => !known.has(id));
      const among = new Set(groupIds.filter((id) => known.get(id) === true));
      if (unknown.length === 0) return among;
      const began = epoch;
      const found = await lookUp(unknown);
      for (const id of found) among.add(id);
      if (epoch !== began) return among;
      if (known.size + unknown.length > MAX_GROUPS) known.clear();
      for (const id of unknown) known.set(id, found.has(id));
      return among;
    },

    forget(groupId: string): void {
      epoch += 1;
      known.delete(groupId);
    },

    /** For when invalidations may have been lost. */
    forgetAll,
  };
}
