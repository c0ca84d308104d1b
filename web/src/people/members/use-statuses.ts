import type { Status } from "@fanfare/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useServerCache } from "../../data/data-context.ts";

/**
 * How several users are: only those of whom it is known. Give the same array until the users are others, and few: they are watched
 * all the time, and a client watches 500 at most.
 */
export function useStatuses(userIds: readonly string[]): ReadonlyMap<string, Status> {
  const { presence } = useServerCache().client;
  useEffect(() => {
    try {
      return presence.watch(userIds);
    } catch {
      return undefined;
    }
  }, [presence, userIds]);
  const statuses = useSyncExternalStore(
    (onChange) => presence.subscribe(onChange),
    () => userIds.map((id) => presence.status(id) ?? "").join(),
  );
  return useMemo(() => {
    const known = statuses.split(",").map((status, index) => [userIds[index]!, status] as const);
    return new Map(known.filter((entry): entry is [string, Status] => entry[1] !== ""));
  }, [statuses, userIds]);
}
