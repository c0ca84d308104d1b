import type { Channel } from "@fanfare/contract";
import { lazyWithTexts } from "../shared/later.tsx";
import { openDialog } from "../ui/open-dialog.tsx";

export type GroupDialog =
  | { kind: "createChannel"; sectionId: string | null }
  | { kind: "createSection" }
  | { kind: "editChannel"; channel: Channel }
  | { kind: "renameSection"; channel: Channel }
  | { kind: "channelNotifications"; channel: Channel }
  | { kind: "groupNotifications" }
  | { kind: "invite" };

// Loaded when the first of them is opened.
const GroupDialogs = lazyWithTexts(async () => (await import("./group-dialogs.tsx")).GroupDialogs);

export function openGroupDialog(groupId: string, dialog: GroupDialog): void {
  openDialog((onClose) => <GroupDialogs groupId={groupId} dialog={dialog} onClose={onClose} />);
}
