import type { Channel } from "@fanfare/contract";
import i18next from "i18next";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { cx } from "../../ui/cx.ts";
import { channelTree } from "../../data/groups.ts";
import { showFailure } from "../../ui/feedback.tsx";
import type { MenuItem } from "../../ui/menu.tsx";

interface Drag {
  id: string;
  kind: "channel" | "section";
  overId: string | null;
  edge: Edge;
}

export interface Reorder {
  /** Event handlers for a row; empty for users who can't move it. */
  handlers: (channel: Channel, sectionId: string | null) => object;
  /** Moves it up or down by one; does nothing at the end of the list. */
  step: (channel: Channel, step: -1 | 1) => void;
  canMove: boolean;
}

interface ReorderState {
  /** Stable while it means the same, so that only affected rows are rendered again. */
  reorder: Reorder;
  /** At which edge of a row the drop line is shown. */
  edgeAt: (id: string) => Edge | null;
  draggedId: string | null;
  announcement: string;
}

/** Moves channels and sections by dragging, with Alt and an arrow key, or from a menu. */
export function useReorder(groupId: string, channels: readonly Channel[], canMove: boolean): ReorderState {
  const { t } = useTranslation("channels");
  const call = useCall();
  const [shownDrag, showDrag] = useState<Drag | null>(null);
  const [announcement, setAnnouncement] = useState("");
  // A ref, because drag events come faster than renders.
  const dragNow = useRef<Drag | null>(null);
  const latest = useRef(channels);
  useEffect(() => {
    latest.current = channels;
  });

  const reorder = useMemo((): Reorder => {
    const setDrag = (drag: Drag | null): void => {
      dragNow.current = drag;
      showDrag(drag);
    };
    const put = (places: Place[] | null, name: string): void => {
      if (places === null || places.length === 0) return;
      setAnnouncement(t("moved", { name }));
      call("channel.reorder", { groupId, places }).catch(showFailure);
    };
    const step: Reorder["step"] = (channel, direction) => {
      const move = channel.kind === "section" ? stepSection : stepChannel;
      put(move(latest.current, channel.id, direction), channel.name);
    };
    const drop = (target: Channel, sectionId: string | null): void => {
      const all = latest.current;
      const dragged = dragNow.current;
      const moved = all.find(({ id }) => id === dragged?.id);
      setDrag(null);
      if (dragged === null || moved === undefined || moved.id === target.id) return;
      put(placesAfterDrop(all, moved, target, sectionId, dragged.edge), moved.name);
    };
    const handlers: Reorder["handlers"] = (channel, sectionId) => ({
      draggable: true,
      onDragStart(event: DragEvent) {
        event.stopPropagation();
        event.dataTransfer.effectAllowed = "move";
        const kind = channel.kind === "section" ? "section" : "channel";
        setDrag({ id: channel.id, kind, overId: null, edge: "before" });
      },
      onDragOver(event: DragEvent) {
        const dragged = dragNow.current;
        // Sections can only be dropped among sections.
        if (dragged === null || (dragged.kind === "section" && channel.kind !== "section")) return;
        event.preventDefault();
        event.stopPropagation();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        const into = dragged.kind === "channel" && channel.kind === "section";
        const edge = into || event.clientY > top + height / 2 ? "after" : "before";
        if (dragged.overId !== channel.id || dragged.edge !== edge) {
          setDrag({ ...dragged, overId: channel.id, edge });
        }
      },
      onDrop(event: DragEvent) {
        event.preventDefault();
        event.stopPropagation();
        drop(channel, sectionId);
      },
      onDragEnd: () => setDrag(null),
      onKeyDown(event: KeyboardEvent) {
        if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
        event.preventDefault();
        event.stopPropagation();
        step(channel, event.key === "ArrowUp" ? -1 : 1);
      },
    });
    return { handlers: canMove ? handlers : () => ({}), step, canMove };
  }, [groupId, canMove, call, t]);

  return {
    reorder,
    edgeAt: (id) => (shownDrag?.overId === id && shownDrag.id !== id ? shownDrag.edge : null),
    draggedId: shownDrag?.id ?? null,
    announcement,
  };
}

/** What moves a channel or section in its menu. */
export function moveItems(channel: Channel, { step }: Reorder): MenuItem[] {
  return [
    {
      label: i18next.t("channels:menu.moveUp"),
      icon: ArrowUp,
      shortcut: "Alt ↑",
      onSelect: () => step(channel, -1),
    },
    {
      label: i18next.t("channels:menu.moveDown"),
      icon: ArrowDown,
      shortcut: "Alt ↓",
      onSelect: () => step(channel, 1),
    },
  ];
}

/** Marks the drop position. Must be within a `relative` element. */
export function DropLine({ edge }: { edge: Edge | null }) {
  if (edge === null) return null;
  return (
    <span
      aria-hidden
      className={cx(
        "pointer-events-none absolute inset-x-1 h-0.5 rounded-full bg-accent",
        edge === "before" ? "-top-px" : "-bottom-px",
      )}
    />
  );
}

export interface Place {
  channelId: string;
  sectionId: string | null;
  position: number;
}

/** A drop position: an index among the section's channels, not counting the moved one. */
interface Target {
  sectionId: string | null;
  index: number;
}

/**
 * Returns the places that change when a channel is moved.
 * @param channels all visible channels of the group
 */
function moveChannel(channels: readonly Channel[], channelId: string, target: Target): Place[] {
  const section = listOf(channels, target.sectionId).filter(({ id }) => id !== channelId);
  const moved = channels.find(({ id }) => id === channelId);
  if (moved === undefined) return [];
  return changedPlaces(section.toSpliced(target.index, 0, moved), target.sectionId);
}

/** Returns the places that change when a section is moved to an index, not counting itself. */
function moveSection(channels: readonly Channel[], sectionId: string, index: number): Place[] {
  const sections = channelTree(channels).sections.map(({ section }) => section);
  const moved = sections.find(({ id }) => id === sectionId);
  if (moved === undefined) return [];
  return changedPlaces(sections.filter((section) => section !== moved).toSpliced(index, 0, moved), null);
}

export type Edge = "before" | "after";

/**
 * Returns the places that change after a drop on a channel or section. A channel dropped on a section becomes its first channel.
 * @param sectionId the section of the target
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

/** Moves a channel by one, across sections; null at the end of the list. */
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

/** Moves a section by one; null at the end of the list. */
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

function changedPlaces(list: readonly Channel[], sectionId: string | null): Place[] {
  return list.flatMap((channel, position) =>
    channel.position === position && channel.sectionId === sectionId
      ? []
      : [{ channelId: channel.id, sectionId, position }],
  );
}
