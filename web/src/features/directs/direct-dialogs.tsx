import { lazy, Suspense } from "react";
import { NotificationDialog } from "../groups/notification-dialog.tsx";
import { LeaveDirectDialog } from "./dialogs/leave-direct-dialog.tsx";
import { RenameDirectDialog } from "./dialogs/rename-direct-dialog.tsx";
import type { DirectDialog } from "./direct-dialog.ts";
import { useDirect } from "./use-direct.ts";

// Who chooses people loads what that takes.
const NewDirectDialog = lazy(async () => ({
  default: (await import("./dialogs/new-direct-dialog.tsx")).NewDirectDialog,
}));
const AddPeopleDialog = lazy(async () => ({
  default: (await import("./dialogs/add-people-dialog.tsx")).AddPeopleDialog,
}));

interface DirectDialogsProps {
  dialog: DirectDialog;
  onClose: () => void;
}

export function DirectDialogs({ dialog, onClose }: DirectDialogsProps) {
  return (
    <Suspense fallback={null}>
      {dialog.kind === "create" ? (
        <NewDirectDialog userIds={dialog.userIds} onClose={onClose} />
      ) : (
        <AboutDirect dialog={dialog} onClose={onClose} />
      )}
    </Suspense>
  );
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
