import type { ChannelState } from "@fanfare/contract";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { ChannelRow } from "./channel-row.tsx";
import type { Edge } from "./reorder.ts";
import type { Reorder } from "./use-reorder.ts";

export interface RowsProps {
  activeId: string | undefined;
  reorder: Reorder;
  edgeAt: (id: string) => Edge | null;
  onOpen: OpenDialog;
}

interface ChannelRowsProps extends RowsProps {
  sectionId: string | null;
  channels: readonly ChannelState[];
}

/** The channels of a section, or those in none. */
export function ChannelRows({ sectionId, channels, activeId, reorder, edgeAt, onOpen }: ChannelRowsProps) {
  if (channels.length === 0) return null;
  return (
    <ul className="grid gap-px">
      {channels.map((channel) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          sectionId={sectionId}
          isActive={channel.id === activeId}
          edge={edgeAt(channel.id)}
          reorder={reorder}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}
