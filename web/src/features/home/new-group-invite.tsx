import type { Group } from "@fanfare/contract";
import { composerFieldId } from "../composer/composer-id.ts";
import { offerInvite, useIsNewGroup } from "../groups/new-group.ts";
import { InviteDialog } from "../invites/invite-dialog.tsx";

interface NewGroupInviteProps {
  group: Group;
  /** The channel that is shown. */
  channelId: string | undefined;
}

/** Shown once for a group that was just created: the link to invite others. Then the first message can be written. */
export function NewGroupInvite({ group, channelId = "" }: NewGroupInviteProps) {
  if (!useIsNewGroup(group.id)) return null;
  return (
    <InviteDialog
      group={group}
      onClose={() => offerInvite(null)}
      finalFocus={() => document.getElementById(composerFieldId(channelId))}
    />
  );
}
