import { create } from "zustand";

/** The side panel. Threads are in the address instead (`?thread=`), so that they can be linked. */
export type Panel = "files" | "members" | "pins" | "search" | "threads" | `plugin:${string}` | null;

interface PanelState {
  panel: Panel;
}

export const usePanels = create<PanelState>(() => ({ panel: null }));

export function openPanel(panel: Panel): void {
  usePanels.setState({ panel });
}

export function togglePanel(panel: NonNullable<Panel>): void {
  usePanels.setState((state) => ({ panel: state.panel === panel ? null : panel }));
}

export type Overlay = "switcher" | "shortcuts" | null;

export const useOverlay = create<{ overlay: Overlay }>(() => ({ overlay: null }));

export function openOverlay(overlay: Overlay): void {
  useOverlay.setState({ overlay });
}
