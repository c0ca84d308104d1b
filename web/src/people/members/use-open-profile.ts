import { useCallback } from "react";
import { openProfile } from "./people-store.ts";

/** Shows the card of a user beside what was clicked on, in the eyes of a group or of none. Stays the same function. */
export function useOpenProfile(groupId: string | null): (userId: string, anchor: HTMLElement) => void {
  return useCallback((userId, anchor) => openProfile({ userId, groupId, anchor }), [groupId]);
}
