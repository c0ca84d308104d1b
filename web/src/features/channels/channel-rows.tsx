import type { ChannelState, Group } from "@fanfare/contract";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { ChannelRow } from "./channel-row.tsx";
import type { Reorder } from "./use-reorder.ts";

export interface RowsProps {
  group: Group;
  activeId: string | undefined;
  /** In the group. */
  permissions: number;
  reorder: Reorder;
  onOpen: OpenDialog;
}

interface ChannelRowsProps extends RowsProps {
  sectionId: string | null;
  channels: readonly ChannelState[];
}

/** The channels of a section, or those in none. */
export function ChannelRows({ sectionId, channels, ...rest }: ChannelRowsProps) {
  if (channels.length === 0) return null;
  return (
    <ul className="grid gap-px">
      {channels.map((channel) => (
        <ChannelRow key={channel.id} {...rest} channel={channel} sectionId={sectionId} />
      ))}
    </ul>
  );
}
