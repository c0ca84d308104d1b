import type { Channel } from "@fanfare/contract";

/** Channels as they are listed: those in no section first, then each section with its own. */
export interface ChannelTree<C extends Channel = Channel> {
  /** Text channels in no section. */
  top: C[];
  sections: { section: C; channels: C[] }[];
}

export function byPosition(a: Channel, b: Channel): number {
  return a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Channels whose section is not seen stand at the top. */
export function channelTree<C extends Channel>(channels: readonly C[]): ChannelTree<C> {
  const sorted = channels.toSorted(byPosition);
  const sections = sorted.filter(({ kind }) => kind === "section");
  const known = new Set(sections.map(({ id }) => id));
  const texts = sorted.filter(({ kind }) => kind === "text");
  return {
    top: texts.filter(({ sectionId }) => sectionId === null || !known.has(sectionId)),
    sections: sections.map((section) => ({
      section,
      channels: texts.filter(({ sectionId }) => sectionId === section.id),
    })),
  };
}

/** All text channels from top to bottom, as somebody walks through them with the keyboard. */
export function channelsInOrder<C extends Channel>(channels: readonly C[]): C[] {
  const { top, sections } = channelTree(channels);
  return [...top, ...sections.flatMap(({ channels: inside }) => inside)];
}
