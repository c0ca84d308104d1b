import type { ChannelState } from "@fanfare/contract";
import { useUnreadChannels } from "../../data/unread.ts";
import { useIsCollapsed } from "../../state/collapsed-sections.ts";
import { ChannelRows, type RowsProps } from "./channel-rows.tsx";
import { SectionHead } from "./section-head.tsx";

interface ChannelSectionProps extends RowsProps {
  section: ChannelState;
  channels: readonly ChannelState[];
}

/** A section of the list. Closed, it still shows the channel that is open, and those in which the user is mentioned. */
export function ChannelSection({ section, channels, ...rows }: ChannelSectionProps) {
  const isCollapsed = useIsCollapsed(section.id);
  const { data: unread } = useUnreadChannels();
  const { reorder, edgeAt, activeId, onOpen } = rows;
  const hasMention = ({ id }: ChannelState): boolean =>
    unread?.some(({ channelId, mentionCount }) => channelId === id && mentionCount > 0) ?? false;
  const shown = isCollapsed
    ? channels.filter((channel) => channel.id === activeId || hasMention(channel))
    : channels;
  return (
    <section aria-label={section.name} className="mt-3">
      <SectionHead
        section={section}
        isCollapsed={isCollapsed}
        edge={edgeAt(section.id)}
        reorder={reorder}
        onOpen={onOpen}
      />
      <ChannelRows {...rows} sectionId={section.id} channels={shown} />
    </section>
  );
}
