import type { Member } from "@fanfare/contract";
import { create } from "zustand";
import type { MemberDialogKind } from "../../groups/group-settings/members/member-dialog.ts";

/** Whose card is shown. */
export interface ShownProfile {
  userId: string;
  /** The group in which they were clicked on; null: a direct channel, or no place. */
  groupId: string | null;
  /** What the card stands beside. */
  anchor: HTMLElement;
}

/** What is asked about somebody, in front of everything. */
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

/** Forgets everything, when somebody else logs in. */
export function forgetPeople(): void {
  usePeople.setState({ profile: null, dialog: null });
}
