import type { ChannelState } from "@fanfare/contract";
import { channelTree } from "../../data/groups.ts";

/** A line of the channel list. `key` is the ID of the section or channel. */
export type Line =
  | { kind: "section"; key: string; section: ChannelState; isCollapsed: boolean }
  | {
      kind: "channel";
      key: string;
      channel: ChannelState;
      sectionId: string | null;
      /** Whether it is the first channel of its section, or of the list. */
      isFirst: boolean;
    };

/** The channels of a group below their sections, as one list. A collapsed section has only the channels in `shownIds`. */
export function linesOf(
  channels: readonly ChannelState[],
  collapsedIds: readonly string[],
  shownIds: readonly string[],
): Line[] {
  const { top, sections } = channelTree(channels);
  return [
    ...channelLines(top, null),
    ...sections.flatMap(({ section, channels: inside }): Line[] => {
      const isCollapsed = collapsedIds.includes(section.id);
      const shown = isCollapsed ? inside.filter(({ id }) => shownIds.includes(id)) : inside;
      return [{ kind: "section", key: section.id, section, isCollapsed }, ...channelLines(shown, section.id)];
    }),
  ];
}

function channelLines(channels: readonly ChannelState[], sectionId: string | null): Line[] {
  return channels.map((channel, index) => ({
    kind: "channel",
    key: channel.id,
    channel,
    sectionId,
    isFirst: index === 0,
  }));
}
