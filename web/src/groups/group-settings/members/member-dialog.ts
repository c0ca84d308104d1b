import type { Member } from "@fanfare/contract";

/** What is asked about a member. */
export type MemberDialogKind = "roles" | "mute" | "kick" | "ban" | "transfer";

export interface MemberDialog {
  kind: MemberDialogKind;
  /** As it was when it was asked. */
  member: Member;
}
