import { NotificationDialog } from "../groups/notification-dialog.tsx";
import { AddPeopleDialog } from "./dialogs/add-people-dialog.tsx";
import { LeaveDirectDialog } from "./dialogs/leave-direct-dialog.tsx";
import { NewDirectDialog } from "./dialogs/new-direct-dialog.tsx";
import { RenameDirectDialog } from "./dialogs/rename-direct-dialog.tsx";
import type { DirectDialog } from "./direct-dialog.ts";
import { useDirect } from "./use-direct.ts";

interface DirectDialogsProps {
  dialog: DirectDialog;
  onClose: () => void;
}

export function DirectDialogs({ dialog, onClose }: DirectDialogsProps) {
  if (dialog.kind === "create") return <NewDirectDialog userIds={dialog.userIds} onClose={onClose} />;
  return <AboutDirect dialog={dialog} onClose={onClose} />;
}

function AboutDirect({
  dialog: { kind, channel },
  onClose,
}: {
  dialog: Exclude<DirectDialog, { kind: "create" }>;
  onClose: () => void;
}) {
  const { title } = useDirect(channel);
  switch (kind) {
    case "add":
      return <AddPeopleDialog channel={channel} title={title} onClose={onClose} />;
    case "rename":
      return <RenameDirectDialog channel={channel} onClose={onClose} />;
    case "leave":
      return <LeaveDirectDialog channel={channel} title={title} onClose={onClose} />;
    case "notifications":
      return <NotificationDialog place={{ channelId: channel.id }} name={title} onClose={onClose} />;
  }
}
