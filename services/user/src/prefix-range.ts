/** Comes after everything that a name may go on with. */
const LAST = "\u{10ffff}";

/** What begins so, in any case: a range and no pattern, so that it costs an index look-up and nothing in it means anything. */
export function prefixRange(prefix: string): { $gte: string; $lt: string } {
  const lower = prefix.toLowerCase();
  return { $gte: lower, $lt: lower + LAST };
}
