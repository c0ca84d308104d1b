import { create } from "zustand";

interface UpdateState {
  /** Brings the new version in and reloads the page; null while there is none. */
  apply: (() => void) | null;
}

export const useUpdate = create<UpdateState>(() => ({ apply: null }));
