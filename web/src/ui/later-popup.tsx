import { cloneElement, type ComponentType, type ReactElement, useState } from "react";
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
    return <Popup {...props} open={props.open ?? isOpen} onOpenChange={change} />;
  };
}

function Trigger({ trigger, open = false, onOpenChange }: PopupProps) {
  return cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    onClick: () => onOpenChange?.(!open),
  });
}

export const LaterMenu = laterPopup(async () => (await import("./popups.ts")).Menu);
export const LaterPopover = laterPopup(async () => (await import("./popups.ts")).Popover);
