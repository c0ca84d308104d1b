import type { Channel } from "@fanfare/contract";
import { useActionMutation } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useCanInChannel } from "../../data/permissions.ts";
import { errorText } from "../../shared/error-text.ts";
import { showToast } from "../../ui/toast.tsx";

export interface Archive {
  /** Those who have opened a thread, and who manage channels. */
  mayChange: boolean;
  isArchived: boolean;
  isPending: boolean;
  /** Puts the thread away, or takes it up again. */
  toggle: () => void;
}

/** Whether a thread was put away. */
export function useArchive(thread: Channel): Archive {
  const me = useMe();
  const managesChannels = useCanInChannel(thread, "manageChannels");
  const archive = useActionMutation("channel.archiveThread");
  const unarchive = useActionMutation("channel.unarchiveThread");
  const isArchived = thread.archivedAt !== null;
  const { mutate } = isArchived ? unarchive : archive;
  return {
    mayChange: thread.ownerId === me.id || managesChannels,
    isArchived,
    isPending: archive.isPending || unarchive.isPending,
    toggle: () =>
      mutate(
        { channelId: thread.id },
        { onError: (error) => showToast({ text: errorText(error), tone: "danger" }) },
      ),
  };
}
