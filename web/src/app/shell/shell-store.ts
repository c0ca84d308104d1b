import { create } from "zustand";

interface ShellState {
  /** On which page the lists of a phone were opened: going elsewhere closes them. On wide windows they are always there. */
  drawerAt: string | null;
  setDrawerAt: (path: string | null) => void;
}

export const useShell = create<ShellState>((set) => ({
  drawerAt: null,
  setDrawerAt: (drawerAt) => set({ drawerAt }),
}));
