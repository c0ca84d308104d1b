import { create } from "zustand";

export type Overlay = "switcher" | "shortcuts" | null;

export const useOverlay = create<{ overlay: Overlay }>(() => ({ overlay: null }));

export function openOverlay(overlay: Overlay): void {
  useOverlay.setState({ overlay });
}
