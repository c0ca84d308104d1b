import type { Member } from "@fanfare/contract";
import { create } from "zustand";
import type { MemberDialogKind } from "../../groups/group-settings/members/use-member-menu.ts";
import { useCallback, type ReactNode } from "react";

export interface ShownProfile {
  userId: string;
  /** The group in which the user was clicked; null elsewhere. */
  groupId: string | null;
  anchor: HTMLElement;
}

export type PersonDialog =
  | { kind: "block" | "unfriend"; userId: string }
  | { kind: MemberDialogKind; member: Member };

interface PeopleState {
  profile: ShownProfile | null;
  dialog: PersonDialog | null;
}

export const usePeople = create<PeopleState>(() => ({ profile: null, dialog: null }));

export function openProfile(profile: ShownProfile): void {
  usePeople.setState({ profile });
}

export function closeProfile(): void {
  usePeople.setState({ profile: null });
}

/** Opens a dialog about a user in place of their card. */
export function openPersonDialog(dialog: PersonDialog): void {
  usePeople.setState({ profile: null, dialog });
}

export function closePersonDialog(): void {
  usePeople.setState({ dialog: null });
}

export function clearPeople(): void {
  usePeople.setState({ profile: null, dialog: null });
}

/** @returns a stable function that opens a user's card next to an element */
export function useOpenProfile(groupId: string | null): (userId: string, anchor: HTMLElement) => void {
  return useCallback((userId, anchor) => openProfile({ userId, groupId, anchor }), [groupId]);
}

interface UserPopoverProps {
  userId: string;
  /** The group whose roles are shown; null for none. */
  groupId: string | null;
  label?: string;
  className?: string;
  /** -1 if another button opens the same card. */
  tabIndex?: number;
  children: ReactNode;
}

export function UserPopover({ userId, groupId, label, className, tabIndex, children }: UserPopoverProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={label}
      tabIndex={tabIndex}
      className={className}
      onClick={({ currentTarget }) => openProfile({ userId, groupId, anchor: currentTarget })}
    >
      {children}
    </button>
  );
}
