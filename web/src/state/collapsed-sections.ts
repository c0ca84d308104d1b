import { create } from "zustand";
import { loadStored, saveStored } from "./stored.ts";

const KEY = "fanfare.collapsedSections";
/** The oldest entries are dropped beyond this number. */
const MAX_SECTIONS = 500;

/** Collapsed sections of channel lists in this browser, by ID. */
const useCollapsed = create<{ ids: readonly string[] }>(() => ({ ids: parseIds(loadStored(KEY)) }));

export function useCollapsedSections(): readonly string[] {
  return useCollapsed(({ ids }) => ids);
}

export function setCollapsed(sectionId: string, isCollapsed: boolean): void {
  const others = useCollapsed.getState().ids.filter((id) => id !== sectionId);
  const ids = isCollapsed ? [...others, sectionId].slice(-MAX_SECTIONS) : others;
  useCollapsed.setState({ ids });
  saveStored(KEY, ids.length === 0 ? null : ids);
}

function parseIds(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
}
