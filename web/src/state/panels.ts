import { create } from "zustand";

/** What stands at the right of a channel. A thread is in the address instead (`?thread=`), so that it can be linked to. */
export type Panel = "members" | "pins" | "search" | "threads" | null;

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
