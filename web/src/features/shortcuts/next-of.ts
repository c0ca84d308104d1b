/** The next one that is wanted, around at the end; the first or the last one where the user is at none of them. */
export function nextOf<T extends { id: string }>(
  list: readonly T[],
  currentId: string | null,
  by: 1 | -1,
  isWanted: (one: T) => boolean,
): T | undefined {
  const at = list.findIndex(({ id }) => id === currentId);
  const after = by === 1 ? list.slice(at + 1) : list.slice(0, Math.max(0, at)).toReversed();
  const before = by === 1 ? list.slice(0, Math.max(0, at)) : list.slice(at + 1).toReversed();
  return [...after, ...before].find(isWanted);
}
