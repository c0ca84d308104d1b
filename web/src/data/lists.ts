/** Lists as they are after a change; the list itself where nothing changes. */
export function without<T>(list: T[], isGone: (item: T) => boolean): T[] {
  return list.some((item) => isGone(item)) ? list.filter((item) => !isGone(item)) : list;
}

/** The item in the place of the one that is the same, or else put where `compare` says: at the end without it. */
export function withItem<T>(
  list: T[],
  item: T,
  isSame: (held: T) => boolean,
  compare?: (a: T, b: T) => number,
): T[] {
  const index = list.findIndex(isSame);
  const next = index === -1 ? [...list, item] : list.with(index, item);
  return compare === undefined ? next : next.sort(compare);
}

/** The items that are the same with some of their parts changed. */
export function changed<T>(list: T[], isMeant: (item: T) => boolean, change: (item: T) => T): T[] {
  if (!list.some((item) => isMeant(item))) return list;
  let isChanged = false;
  const next = list.map((item) => {
    const after = isMeant(item) ? change(item) : item;
    isChanged ||= after !== item;
    return after;
  });
  return isChanged ? next : list;
}

/** An answer with another list in it; the answer itself where the list is the same. */
export function withList<A extends object, K extends keyof A>(answer: A, key: K, list: A[K]): A {
  return answer[key] === list ? answer : { ...answer, [key]: list };
}

export const byId = (a: { id: string }, b: { id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
