/** When they are more, all are forgotten. */
const MAX_GROUPS = 100_000;

export type PrivateGroups = ReturnType<typeof createPrivateGroups>;

/**
 * Remembers which groups have private channels at all: this saves two look-ups at nearly every login. It is notified of a private
 * channel before that channel's room is filled, so a login that still took the group for one without is brought in like any other
 * that came in that moment (channel-moves.ts).
 * @param lookUp finds those of the groups that have a private channel
 */
export function createPrivateGroups(lookUp: (groupIds: readonly string[]) => Promise<ReadonlySet<string>>) {
  const known = new Map<string, boolean>();
  /** How often something was forgotten: what was being looked up meanwhile is not kept. */
  let epoch = 0;

  const forgetAll = (): void => {
    epoch += 1;
    known.clear();
  };

  return {
    /** Those of the groups that have, or had a while ago, a private channel. */
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

    /** Call it when notifications may have been lost. */
    forgetAll,
  };
}
