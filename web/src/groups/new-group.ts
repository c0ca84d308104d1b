import { create } from "zustand";

/** The group that was just created. It has no other members, so an invite link is shown first. */
const useNewGroup = create<{ groupId: string | null }>(() => ({ groupId: null }));

export function offerInvite(groupId: string | null): void {
  useNewGroup.setState({ groupId });
}

export function useIsNewGroup(groupId: string): boolean {
  return useNewGroup((state) => state.groupId === groupId);
}
