import type { Member } from "@fanfare/contract";
import { create } from "zustand";
import type { MemberDialogKind } from "../../groups/group-settings/members/use-member-menu.ts";
import { useCallback, type ReactNode } from "react";

export interface ShownProfile {
  userId: string;
  /** The group in which they were clicked on; null: a direct channel, or no place. */
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

/** Asks something about somebody. Their card goes: what is asked stands in its place. */
export function askAbout(dialog: PersonDialog): void {
  usePeople.setState({ profile: null, dialog });
}

export function closePersonDialog(): void {
  usePeople.setState({ dialog: null });
}

export function forgetPeople(): void {
  usePeople.setState({ profile: null, dialog: null });
}

/** Shows the card of a user beside what was clicked on, in the eyes of a group or of none. Stays the same function. */
export function useOpenProfile(groupId: string | null): (userId: string, anchor: HTMLElement) => void {
  return useCallback((userId, anchor) => openProfile({ userId, groupId, anchor }), [groupId]);
}

interface UserPopoverProps {
  userId: string;
  /** The group in whose eyes they are shown, with their roles; null: none. */
  groupId: string | null;
  label?: string;
  className?: string;
  /** -1 where the same card can be had by another button. */
  tabIndex?: number;
  children: ReactNode;
}

/** A name, picture or mention that shows the card of its user. */
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
