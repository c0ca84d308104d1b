import type { Channel } from "@fanfare/contract";
import { lazy } from "../../shared/later.tsx";
import { openDialog } from "../../ui/open-dialog.tsx";

// Loaded when the dialog is opened.
const NotificationDialog = lazy(
  async () => (await import("../../groups/notification-dialog.tsx")).NotificationDialog,
);
const NewDirectDialog = lazy(async () => (await import("./people-dialogs.tsx")).NewDirectDialog);
const AddPeopleDialog = lazy(async () => (await import("./people-dialogs.tsx")).AddPeopleDialog);
const RenameDirectDialog = lazy(async () => (await import("./people-dialogs.tsx")).RenameDirectDialog);

export function openNewDirect(userIds: readonly string[]): void {
  openDialog((onClose) => <NewDirectDialog userIds={userIds} onClose={onClose} />);
}

export function openAddPeople(channel: Channel, title: string): void {
  openDialog((onClose) => <AddPeopleDialog channel={channel} title={title} onClose={onClose} />);
}

export function openRename(channel: Channel): void {
  openDialog((onClose) => <RenameDirectDialog channel={channel} onClose={onClose} />);
}

export function openNotifications({ id: channelId }: Channel, title: string): void {
  openDialog((onClose) => <NotificationDialog place={{ channelId }} name={title} onClose={onClose} />);
}
