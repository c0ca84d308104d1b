import type { Channel } from "@fanfare/contract";
import { channelsInOrder, channelTree, hasMessages } from "../../data/groups.ts";

/** Stands for the section of favorites, among the ids of collapsed sections. */
export const FAVORITES = "favorites";

/** A line of the channel list. `key` is the ID of the section or channel. */
export type Line =
  | { kind: "section"; key: string; section: Channel; isCollapsed: boolean }
  | { kind: "favorites"; key: typeof FAVORITES; isCollapsed: boolean }
  | {
      kind: "channel";
      key: string;
      channel: Channel;
      /** Favorites are sorted by name, so they can't be moved. */
      isFavorite: boolean;
      sectionId: string | null;
      /** Whether it is the first channel of its section, or of the list. */
      isFirst: boolean;
    };

/** The channels that the user marked. */
interface Marks {
  favoriteIds: readonly string[];
  hiddenIds: readonly string[];
}

interface ListState extends Marks {
  collapsedIds: readonly string[];
  /** The channels that are listed even if they are hidden or in a collapsed section. */
  shownIds: readonly string[];
}

/** The channels of a group as one list: the favorites, then the others below their sections. */
export function linesOf(channels: readonly Channel[], state: ListState): Line[] {
  const { collapsedIds, hiddenIds, shownIds } = state;
  const stillHidden = hiddenIds.filter((id) => !shownIds.includes(id));
  const { favorites, others } = arrange(channels, { ...state, hiddenIds: stillHidden });
  const { top, sections } = channelTree(others);
  const inside = (isCollapsed: boolean, all: readonly Channel[]): readonly Channel[] =>
    isCollapsed ? all.filter(({ id }) => shownIds.includes(id)) : all;
  const lines: Line[] = [];
  if (favorites.length > 0) {
    const isCollapsed = collapsedIds.includes(FAVORITES);
    lines.push({ kind: "favorites", key: FAVORITES, isCollapsed });
    lines.push(...channelLines(inside(isCollapsed, favorites), null, true));
  }
  lines.push(...channelLines(top, null));
  for (const { section, channels: all } of sections) {
    const isCollapsed = collapsedIds.includes(section.id);
    lines.push({ kind: "section", key: section.id, section, isCollapsed });
    lines.push(...channelLines(inside(isCollapsed, all), section.id));
  }
  return lines;
}

/** The channels in the order of the list. */
export function listedChannels<C extends Channel>(channels: readonly C[], marks: Marks): readonly C[] {
  const { favorites, others } = arrange(channels, marks);
  return [...favorites, ...channelsInOrder(others)];
}

/** The favorites by name, and the others without hidden ones. */
function arrange<C extends Channel>(
  channels: readonly C[],
  { favoriteIds, hiddenIds }: Marks,
): { favorites: C[]; others: C[] } {
  const listed = channels.filter(({ id }) => !hiddenIds.includes(id));
  const isFavorite = (channel: Channel): boolean => hasMessages(channel) && favoriteIds.includes(channel.id);
  const favorites = listed.filter(isFavorite).toSorted((a, b) => a.name.localeCompare(b.name));
  return { favorites, others: listed.filter((channel) => !isFavorite(channel)) };
}

function channelLines(channels: readonly Channel[], sectionId: string | null, isFavorite = false): Line[] {
  return channels.map((channel, index) => ({
    kind: "channel",
    key: channel.id,
    channel,
    isFavorite,
    sectionId,
    isFirst: index === 0,
  }));
}
