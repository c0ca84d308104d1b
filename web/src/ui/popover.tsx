import { Popover as Base } from "@base-ui/react/popover";
import { type ReactElement, type ReactNode, useState } from "react";
import { cx } from "./cx.ts";
import { POPUP_CLASS } from "./popup-class.ts";

interface PopoverProps {
  /** A button: what opens it. */
  trigger: ReactElement;
  /** What it is, for screen readers. */
  label: string;
  /** A function gets what closes it. */
  children: ReactNode | ((close: () => void) => ReactNode);
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
  className?: string;
}

/** Something of its own beside a button: a card, a picker, a small form. */
export function Popover({
  trigger,
  label,
  children,
  open,
  onOpenChange,
  side = "bottom",
  align = "center",
  className,
}: PopoverProps) {
  const [isOpenHere, setOpenHere] = useState(false);
  const change = (next: boolean) => {
    setOpenHere(next);
    onOpenChange?.(next);
  };
  return (
    <Base.Root open={open ?? isOpenHere} onOpenChange={(next) => change(next)}>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup
            aria-label={label}
            className={cx(POPUP_CLASS, "max-w-[calc(100vw-1rem)] p-3", className)}
          >
            {typeof children === "function" ? children(() => change(false)) : children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
