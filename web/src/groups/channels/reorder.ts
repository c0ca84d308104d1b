import type { Channel } from "@fanfare/contract";
import { channelTree } from "../../data/groups.ts";

export interface Place {
  channelId: string;
  sectionId: string | null;
  position: number;
}

/** Where something is put: before the channel of this index in the section, counted without what is moved. */
interface Target {
  sectionId: string | null;
  index: number;
}

/**
 * The places that change when a channel is put somewhere.
 * @param channels all of the group that the user sees
 */
function moveChannel(channels: readonly Channel[], channelId: string, target: Target): Place[] {
  const section = listOf(channels, target.sectionId).filter(({ id }) => id !== channelId);
  const moved = channels.find(({ id }) => id === channelId);
  if (moved === undefined) return [];
  return placesThatChange(section.toSpliced(target.index, 0, moved), target.sectionId);
}

/** The places that change when a section is put before the one of this index, counted without itself. */
function moveSection(channels: readonly Channel[], sectionId: string, index: number): Place[] {
  const sections = channelTree(channels).sections.map(({ section }) => section);
  const moved = sections.find(({ id }) => id === sectionId);
  if (moved === undefined) return [];
  return placesThatChange(sections.filter((section) => section !== moved).toSpliced(index, 0, moved), null);
}

/** The side of a channel or section that something is dropped at. */
export type Edge = "before" | "after";

/**
 * The places that change when something is dropped on a channel or section; on a section, a channel becomes its first.
 * @param sectionId where the target stands
 */
export function placesAfterDrop(
  channels: readonly Channel[],
  moved: Channel,
  target: Channel,
  sectionId: string | null,
  edge: Edge,
): Place[] {
  const after = edge === "after" ? 1 : 0;
  const indexIn = (list: readonly Channel[]): number =>
    list.filter(({ id }) => id !== moved.id).findIndex(({ id }) => id === target.id) + after;
  if (moved.kind === "section") {
    const sections = channelTree(channels).sections.map(({ section }) => section);
    return moveSection(channels, moved.id, indexIn(sections));
  }
  if (target.kind === "section") return moveChannel(channels, moved.id, { sectionId: target.id, index: 0 });
  return moveChannel(channels, moved.id, { sectionId, index: indexIn(listOf(channels, sectionId)) });
}

/** One step up (-1) or down (1), across sections; null at the end of the list. */
export function stepChannel(channels: readonly Channel[], channelId: string, step: -1 | 1): Place[] | null {
  const { top, sections } = channelTree(channels);
  const lists = [
    { sectionId: null as string | null, ids: top.map(({ id }) => id) },
    ...sections.map(({ section, channels: inside }) => ({
      sectionId: section.id,
      ids: inside.map(({ id }) => id),
    })),
  ];
  const at = lists.findIndex(({ ids }) => ids.includes(channelId));
  const here = lists[at];
  if (here === undefined) return null;
  const index = here.ids.indexOf(channelId) + step;
  if (index >= 0 && index < here.ids.length) {
    return moveChannel(channels, channelId, { sectionId: here.sectionId, index });
  }
  const next = lists[at + step];
  if (next === undefined) return null;
  return moveChannel(channels, channelId, {
    sectionId: next.sectionId,
    index: step === 1 ? 0 : next.ids.length,
  });
}

/** The same of a section among the sections. */
export function stepSection(channels: readonly Channel[], sectionId: string, step: -1 | 1): Place[] | null {
  const { sections } = channelTree(channels);
  const index = sections.findIndex(({ section }) => section.id === sectionId) + step;
  if (index < 0 || index >= sections.length) return null;
  return moveSection(channels, sectionId, index);
}

function listOf(channels: readonly Channel[], sectionId: string | null): Channel[] {
  const { top, sections } = channelTree(channels);
  if (sectionId === null) return top;
  return sections.find(({ section }) => section.id === sectionId)?.channels ?? [];
}

function placesThatChange(list: readonly Channel[], sectionId: string | null): Place[] {
  return list.flatMap((channel, position) =>
    channel.position === position && channel.sectionId === sectionId
      ? []
      : [{ channelId: channel.id, sectionId, position }],
  );
}
