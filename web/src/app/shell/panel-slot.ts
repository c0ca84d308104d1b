import { createContext } from "react";

/** Where a SidePanel stands, whatever part of the page opens it; null until it is there. */
export const PanelSlot = createContext<HTMLElement | null>(null);
