/* The popups, which are loaded after the first page, in one file to load. */
export { ConfirmDialog } from "./dialog.tsx";
export { Menu } from "./menu.tsx";
export { Popover } from "./popover.tsx";
export { Toasts } from "./toasts.tsx";
export { Tooltips } from "./tooltips.tsx";
