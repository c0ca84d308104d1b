import type { ChannelState } from "@fanfare/contract";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { errorText } from "../../shared/use-action.ts";
import { showToast } from "../../ui/toast.tsx";
import { type Edge, type Place, placesAfterDrop, stepChannel, stepSection } from "./reorder.ts";

/** Something that is dragged, and where it would be put. */
interface Drag {
  id: string;
  kind: "channel" | "section";
  /** The channel or section that it is over. */
  overId: string | null;
  edge: Edge;
}

export interface Reorder {
  /** For the element of a channel or section; nothing for who may not move it. */
  handlers: (channel: ChannelState, sectionId: string | null) => object;
  /** One place up or down; nothing at the end of the list. */
  step: (channel: ChannelState, step: -1 | 1) => void;
  mayMove: boolean;
}

interface ReorderState {
  /** The same one as long as it means the same: rows are shown anew only when something of theirs changes. */
  reorder: Reorder;
  /** Where a line shows that what is dragged would be put there. */
  edgeAt: (id: string) => Edge | null;
  /** What was moved, for screen readers. */
  announcement: string;
}

/** Moves channels and sections: by dragging, by Alt with an arrow key, or from a menu. */
export function useReorder(
  groupId: string,
  channels: readonly ChannelState[],
  mayMove: boolean,
): ReorderState {
  const { t } = useTranslation("channels");
  const call = useCall();
  const [shownDrag, showDrag] = useState<Drag | null>(null);
  const [announcement, setAnnouncement] = useState("");
  // As it is now, not as it was shown last: events of a drag come faster than that.
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
      call("channel.reorder", { groupId, places }).catch((error: unknown) =>
        showToast({ text: errorText(error), tone: "danger" }),
      );
    };
    const step: Reorder["step"] = (channel, direction) => {
      const move = channel.kind === "section" ? stepSection : stepChannel;
      put(move(latest.current, channel.id, direction), channel.name);
    };
    const drop = (target: ChannelState, sectionId: string | null): void => {
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
        // A section is put among sections only.
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
    return { handlers: mayMove ? handlers : () => ({}), step, mayMove };
  }, [groupId, mayMove, call, t]);

  return {
    reorder,
    edgeAt: (id) => (shownDrag?.overId === id && shownDrag.id !== id ? shownDrag.edge : null),
    announcement,
  };
}
