import { create } from "zustand";
import { useCallback, type ReactNode } from "react";

export interface ShownProfile {
  userId: string;
  /** The group in which the user was clicked; null elsewhere. */
  groupId: string | null;
  anchor: HTMLElement;
}

/** The user card that is open. */
export const useProfile = create<{ profile: ShownProfile | null }>(() => ({ profile: null }));

export function openProfile(profile: ShownProfile): void {
  useProfile.setState({ profile });
}

export function closeProfile(): void {
  useProfile.setState({ profile: null });
}

/** @returns a stable function that opens a user's card next to an element */
export function useOpenProfile(groupId: string | null): (userId: string, anchor: HTMLElement) => void {
  return useCallback((userId, anchor) => openProfile({ userId, groupId, anchor }), [groupId]);
}

interface UserPopoverProps {
  userId: string;
  /** The group whose roles are shown; null for none. */
  groupId: string | null;
  className?: string;
  children: ReactNode;
}

export function UserPopover({ userId, groupId, className, children }: UserPopoverProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      className={className}
      onClick={({ currentTarget }) => openProfile({ userId, groupId, anchor: currentTarget })}
    >
      {children}
    </button>
  );
}
