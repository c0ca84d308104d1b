import type { Group } from "@fanfare/contract";
import { useEffect } from "react";
import type { useMembers } from "../../../data/members.ts";

/** Groups up to this size are loaded completely, and the presence of all members is watched. */
export const WHOLE_UP_TO = 250;

/** Loads all members of a small group, so that its sections are complete. */
export function useWholeGroup(group: Group, members: ReturnType<typeof useMembers>): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = members;
  const isMissing =
    group.memberCount <= WHOLE_UP_TO && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
}
