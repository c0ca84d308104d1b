import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

interface TooltipProps {
  text: string;
  side?: "top" | "bottom" | "left" | "right";
  /** Something that can have the focus, with a name of its own: a tooltip is not read out. */
  children: ReactElement;
}

/** A short text while the pointer or the focus is there. */
export function Tooltip({ text, side = "top", children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="pointer-events-none max-w-64 touch:hidden rounded-sm bg-tooltip px-2 py-1 text-xs font-medium text-on-tooltip transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
