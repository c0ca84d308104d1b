/** The looks of what opens beside something: menus, popovers, lists of choices. */
export const POPUP_CLASS =
  "origin-(--transform-origin) rounded-lg border border-line bg-raised p-1 text-text shadow-raised outline-none transition-[opacity,scale] duration-100 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0";

export const MENU_ITEM_CLASS =
  "flex min-h-row cursor-default select-none items-center gap-2.5 rounded-sm px-2.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover";
