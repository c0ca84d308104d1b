/** Calls `read` again only when its last result is older than `maxAgeMs`, because several admins can poll concurrently. */
export function cached<A extends unknown[], T>(
  maxAgeMs: number,
  read: (...given: A) => T,
): (...given: A) => T {
  let last: { result: T; readAtMs: number } | undefined;
  return (...given) => {
    const nowMs = Date.now();
    if (last === undefined || nowMs - last.readAtMs > maxAgeMs)
      last = { result: read(...given), readAtMs: nowMs };
    return last.result;
  };
}
