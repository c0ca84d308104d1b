import { create } from "zustand";

/** What stands in front of the page, opened from anywhere by a key. */
export type Overlay = "switcher" | "shortcuts" | null;

export const useOverlay = create<{ overlay: Overlay }>(() => ({ overlay: null }));

export function openOverlay(overlay: Overlay): void {
  useOverlay.setState({ overlay });
}
