import { cloneElement, type ComponentType, type ReactElement, useCallback, useRef, useState } from "react";
import { afterFirst } from "../shared/later.tsx";

interface PopupProps {
  /** The button that opens it. */
  trigger: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

/** A popup whose code is loaded after the first page. If its trigger is pressed before, it opens as soon as it can. */
export function laterPopup<P extends PopupProps>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Popup = afterFirst<P>(load, Trigger);
  return function LaterPopup(props: P) {
    const [isOpen, setOpen] = useState(false);
    const change = (next: boolean) => {
      setOpen(next);
      props.onOpenChange?.(next);
    };
    const trigger = cloneElement(props.trigger as ReactElement<Record<string, unknown>>, {
      ref: useKeptFocus(),
    });
    return <Popup {...props} trigger={trigger} open={props.open ?? isOpen} onOpenChange={change} />;
  };
}

/** For an element that React may replace by another one of its kind: the next one gets the focus that it had. */
function useKeptFocus() {
  const hadFocus = useRef(false);
  return useCallback((element: HTMLElement | null) => {
    if (hadFocus.current) element?.focus();
    return () => {
      hadFocus.current = document.activeElement === element;
    };
  }, []);
}

function Trigger({ trigger, open = false, onOpenChange }: PopupProps) {
  return cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    onClick: () => onOpenChange?.(!open),
  });
}

export const LaterMenu = laterPopup(async () => (await import("./popups.ts")).Menu);
export const LaterPopover = laterPopup(async () => (await import("./popups.ts")).Popover);
