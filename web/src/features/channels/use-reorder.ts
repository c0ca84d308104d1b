import type { ChannelState } from "@fanfare/contract";
import { type DragEvent, type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { errorText } from "../../shared/error-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { moveChannel, moveSection, type Place, stepChannel, stepSection } from "./reorder.ts";

type Kind = "channel" | "section";

/** Something that is dragged, and where it would be put. */
interface Drag {
  id: string;
  kind: Kind;
  /** The channel or section that it is over. */
  overId: string | null;
  edge: "before" | "after";
}

export interface Reorder {
  /** For the element of a channel or section; nothing for who may not move it. */
  handlers: (channel: ChannelState, sectionId: string | null) => object;
  /** The line that shows where what is dragged would be put. */
  edgeAt: (id: string) => "before" | "after" | null;
  step: (channel: ChannelState, step: -1 | 1) => void;
  canStep: (channel: ChannelState, step: -1 | 1) => boolean;
  /** What was moved, for screen readers. */
  announcement: string;
}

/** Moves channels and sections: by dragging, by Alt with an arrow key, or from a menu. */
export function useReorder(groupId: string, channels: readonly ChannelState[], mayMove: boolean): Reorder {
  const { t } = useTranslation("channels");
  const call = useCall();
  const [drag, setDrag] = useState<Drag | null>(null);
  const [announcement, setAnnouncement] = useState("");

  const put = (places: Place[] | null, name: string): void => {
    if (places === null || places.length === 0) return;
    setAnnouncement(t("moved", { name }));
    call("channel.reorder", { groupId, places }).catch((error: unknown) =>
      showToast({ text: errorText(error), tone: "danger" }),
    );
  };
  const stepPlaces = (channel: ChannelState, step: -1 | 1): Place[] | null =>
    channel.kind === "section"
      ? stepSection(channels, channel.id, step)
      : stepChannel(channels, channel.id, step);
  const step: Reorder["step"] = (channel, direction) => put(stepPlaces(channel, direction), channel.name);

  const drop = (target: ChannelState, sectionId: string | null): void => {
    const moved = channels.find(({ id }) => id === drag?.id);
    setDrag(null);
    if (drag === null || moved === undefined || moved.id === target.id) return;
    const after = drag.edge === "after" ? 1 : 0;
    const isIn = (channel: ChannelState): boolean =>
      channel.kind === moved.kind && (moved.kind === "section" || channel.sectionId === sectionId);
    if (moved.kind === "section") {
      const others = channels.filter((channel) => isIn(channel) && channel.id !== moved.id);
      put(moveSection(channels, moved.id, others.indexOf(target) + after), moved.name);
    } else if (target.kind === "section") {
      put(moveChannel(channels, moved.id, { sectionId: target.id, index: 0 }), moved.name);
    } else {
      const others = channels.filter((channel) => isIn(channel) && channel.id !== moved.id);
      put(moveChannel(channels, moved.id, { sectionId, index: others.indexOf(target) + after }), moved.name);
    }
  };

  const handlers: Reorder["handlers"] = (channel, sectionId) => {
    if (!mayMove) return {};
    return {
      draggable: true,
      onDragStart(event: DragEvent) {
        event.stopPropagation();
        event.dataTransfer.effectAllowed = "move";
        setDrag({
          id: channel.id,
          kind: channel.kind === "section" ? "section" : "channel",
          overId: null,
          edge: "before",
        });
      },
      onDragOver(event: DragEvent) {
        // A section is put among sections only.
        if (drag === null || (drag.kind === "section" && channel.kind !== "section")) return;
        event.preventDefault();
        event.stopPropagation();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        const into = drag.kind === "channel" && channel.kind === "section";
        const edge = into || event.clientY > top + height / 2 ? "after" : "before";
        if (drag.overId !== channel.id || drag.edge !== edge) setDrag({ ...drag, overId: channel.id, edge });
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
    };
  };
  return {
    handlers,
    edgeAt: (id) => (drag?.overId === id && drag.id !== id ? drag.edge : null),
    step,
    canStep: (channel, direction) => mayMove && stepPlaces(channel, direction) !== null,
    announcement,
  };
}
