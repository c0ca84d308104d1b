import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

type Popup = RefObject<HTMLDivElement | null>;

/** The modal popups that are open, the top one last. */
const stack: Popup[] = [];

/**
 * Keeps the focus in the top modal popup: the application and all other modal popups are inert while it is open. Without this a field that
 * is mounted late with `autoFocus`, such as the composer of a new channel, would take the keys that are typed into the dialog.
 * @returns the ref for the element of the popup
 */
export function useModal(open: boolean): Popup {
  const popup = useRef<HTMLDivElement>(null);
  // After the popup has noted which element to give the focus back to.
  useEffect(() => {
    if (!open) return;
    stack.push(popup);
    update();
  }, [open]);
  // Before it gives the focus back, which an inert element does not take.
  useLayoutEffect(() => {
    if (!open) return undefined;
    return () => release(popup);
  }, [open]);
  return popup;
}

function release(popup: Popup): void {
  const at = stack.indexOf(popup);
  if (at < 0) return;
  stack.splice(at, 1);
  if (popup.current !== null) popup.current.inert = false;
  update();
}

function update(): void {
  document.getElementById("root")!.inert = stack.length > 0;
  for (const [index, { current }] of stack.entries())
    if (current !== null) current.inert = index < stack.length - 1;
}
